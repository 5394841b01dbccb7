import { CONTROLLER_NAMES, type ControllerName, isControllerName } from '../controllers/names.ts'
import type { FlagReader } from './flag-reader.ts'
import { FlagError, type GivenFlags } from './parse-flags.ts'
import type { Profile } from './place-config.ts'

/** Controllers of the server. */
export interface ControllersConfig {
  readonly enabled: ReadonlySet<ControllerName>
  readonly quotaSyncPeriodMs: number
}

/** Parses the controller flags. Throws FlagError. */
export function controllersOf(profile: Profile, { values }: GivenFlags, read: FlagReader): ControllersConfig {
  const enabled = namesOf(values.get('controllers') ?? (profile === 'apiserver' || read.bool('read-only') ? [] : ['*']))
  if (read.bool('read-only') && enabled.size > 0) throw new FlagError('--read-only and --controllers are mutually exclusive: controllers write')
  return { enabled, quotaSyncPeriodMs: read.duration('resource-quota-sync-period') }
}

/** Parses `*`, names, and `-name` to exclude, in any order. An explicit name takes precedence over `*`. Throws FlagError. */
function namesOf(given: readonly string[]): ReadonlySet<ControllerName> {
  for (const entry of given)
    if (entry !== '*' && !isControllerName(entry.replace(/^-/, '')))
      throw new FlagError(`--controllers: ${JSON.stringify(entry)} is not in the list of known controllers: ${CONTROLLER_NAMES.join(', ')}`)
  return new Set(CONTROLLER_NAMES.filter(name => given.includes(name) || (given.includes('*') && !given.includes(`-${name}`))))
}
