import { type Gates, LifecycleError, parseGates } from '../lifecycle/gates.ts'
import { DEFAULT_RELEASE, RELEASES, type Release } from '../lifecycle/release.ts'
import { checkRuntimeConfig, type RuntimeConfig } from '../lifecycle/served.ts'
import { FlagError } from './parse-flags.ts'

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

export function runtimeConfigOf(given: RuntimeConfig): RuntimeConfig {
  try {
    checkRuntimeConfig(given)
    return given
  } catch (error) {
    throw error instanceof LifecycleError ? new FlagError(`--runtime-config: ${error.message}`) : error
  }
}
