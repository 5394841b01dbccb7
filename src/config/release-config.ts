import { type Gates, LifecycleError, parseGates } from '../lifecycle/gates.ts'
import { compareReleases, DEFAULT_RELEASE, minorOf, previousRelease, RELEASES, type Release } from '../lifecycle/release.ts'
import { checkRuntimeConfig, type LaterVersions, type RuntimeConfig } from '../lifecycle/served.ts'
import type { FlagReader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

/** The release whose API is served, and deviations from it. */
export interface ReleaseConfig {
  readonly emulatedVersion: Release
  readonly gates: Gates
  readonly runtimeConfig: RuntimeConfig
  readonly laterVersions: LaterVersions
}

/** Maximum number of minor releases between the emulated release and the minimum compatibility version. */
const OLDEST_BESIDE = 3

/** Parses a release with or without component, such as `kube=1.32`. The last value wins. */
function parsedRelease(flag: string, given: readonly string[]): Release | undefined {
  const entry = given.at(-1)
  if (entry === undefined) return undefined
  const minor = /^(?:kube=)?v?1\.(\d+)(?:\.0)?$/.exec(entry)?.[1]
  if (minor === undefined) throw new FlagError(`--${flag}=${entry} must be a release such as 1.33 or kube=1.33`)
  return `1.${Number(minor)}`
}

/** Returns the release to emulate. Throws FlagError if it is not supported. */
function emulatedVersionOf(given: readonly string[]): Release {
  const release = parsedRelease('emulated-version', given) ?? DEFAULT_RELEASE
  if (RELEASES.includes(release)) return release
  throw new FlagError(`--emulated-version=${release} is not implemented; it may be ${RELEASES[0]} to ${RELEASES.at(-1)}`)
}

/**
 * Returns the minimum compatibility version. Default: the release before the emulated one. Throws FlagError if it is
 * out of range.
 */
function compatibilityOf(release: Release, given: readonly string[]): Release {
  const oldest = parsedRelease('min-compatibility-version', given)
  if (oldest === undefined) return previousRelease(release)
  const floor: Release = `1.${minorOf(release) - OLDEST_BESIDE}`
  if (compareReleases(oldest, floor) < 0 || compareReleases(oldest, release) > 0)
    throw new FlagError(`--min-compatibility-version: minCompatibilityVersion version ${oldest} is not between [${floor}, ${release}]`)
  return oldest
}

/** Parses the feature gates. Names may have the prefix of the only component: `kube:Name=true`. Throws FlagError. */
function gatesOf(release: Release, given: ReadonlyMap<string, boolean>, compatibility: Release): Gates {
  try {
    return parseGates(release, new Map([...given].map(([name, value]) => [name.replace(/^kube:/, ''), value])), compatibility)
  } catch (error) {
    throw error instanceof LifecycleError ? new FlagError(`--feature-gates: ${error.message}`) : error
  }
}

/** Validates that every group version can be enabled, and returns the value. Throws FlagError. */
function runtimeConfigOf(given: RuntimeConfig): RuntimeConfig {
  try {
    checkRuntimeConfig(given)
    return given
  } catch (error) {
    throw error instanceof LifecycleError ? new FlagError(`--runtime-config: ${error.message}`) : error
  }
}

const FORWARD = { bySuccession: 'emulation-forward-compatible', byName: 'runtime-config-emulation-forward-compatible' } as const

/** Parses the flags that serve versions of later releases. Throws FlagError for the newest release. */
function laterVersionsOf(release: Release, isSet: (flag: (typeof FORWARD)[keyof typeof FORWARD]) => boolean): LaterVersions {
  const flag = Object.values(FORWARD).find(isSet)
  if (flag !== undefined && release === RELEASES.at(-1))
    throw new FlagError(`--${flag} cannot be set to true: no release after ${release} is known`)
  return { bySuccession: isSet(FORWARD.bySuccession), byName: isSet(FORWARD.byName) }
}

/** Parses the flags of the release, its gates and versions. Throws FlagError. */
export function releaseOf(read: FlagReader): ReleaseConfig {
  const release = emulatedVersionOf(read.list('emulated-version'))
  return {
    emulatedVersion: release,
    gates: gatesOf(release, read.switches('feature-gates'), compatibilityOf(release, read.list('min-compatibility-version'))),
    runtimeConfig: runtimeConfigOf(read.switches('runtime-config')),
    laterVersions: laterVersionsOf(release, name => read.bool(name)),
  }
}
