import { type Gates, LifecycleError, parseGates } from '../lifecycle/gates.ts'
import { DEFAULT_RELEASE, RELEASES, type Release } from '../lifecycle/release.ts'
import { checkRuntimeConfig, type RuntimeConfig } from '../lifecycle/served.ts'
import { FlagError } from './parse-flags.ts'

/** The release whose API is served: the last one given, as upstream. Throws FlagError for one that is not known. */
export function emulatedVersionOf(given: readonly string[]): Release {
  let release = DEFAULT_RELEASE
  for (const entry of given) {
    const version = /^(?:kube=)?v?(\d+\.\d+)(?:\.0)?$/.exec(entry)?.[1]
    const known = RELEASES.find(each => each === version)
    if (known === undefined) throw new FlagError(`--emulated-version=${entry} is not implemented; it may be ${RELEASES.join(' or ')}`)
    release = known
  }
  return release
}

/** Gates may name their component, of which there is one: `kube:Name=true`. */
export function gatesOf(release: Release, given: ReadonlyMap<string, boolean>): Gates {
  try {
    return parseGates(release, new Map([...given].map(([name, value]) => [name.replace(/^kube:/, ''), value])))
  } catch (error) {
    throw error instanceof LifecycleError ? new FlagError(`--feature-gates: ${error.message}`) : error
  }
}

/** The same value, once it is known that every group version in it can be turned on. Throws FlagError. */
export function runtimeConfigOf(given: RuntimeConfig): RuntimeConfig {
  try {
    checkRuntimeConfig(given)
    return given
  } catch (error) {
    throw error instanceof LifecycleError ? new FlagError(`--runtime-config: ${error.message}`) : error
  }
}
