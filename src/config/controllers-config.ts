import {
  BUILT_CONTROLLERS,
  CONTROLLER_ALIASES,
  CONTROLLER_NAMES,
  type ControllerName,
  MISSING_CONTROLLERS,
  OFF_BY_DEFAULT,
} from '../controllers/names.ts'
import type { FlagReader } from './flag-reader.ts'
import type { FlagName } from './flag-table.ts'
import { rangesOf } from './network-config.ts'
import { FlagError, type GivenFlags } from './parse-flags.ts'
import type { Profile } from './place-config.ts'
import { type PodRange, podRangesOf } from './pod-ranges.ts'

/** Controllers of the server. */
export interface ControllersConfig {
  readonly enabled: ReadonlySet<ControllerName>
  readonly quotaSyncPeriodMs: number
  /** Nodes that `kubelet` simulates: a number of equal ones, or a file of pools. */
  readonly nodes: number | { readonly file: string }
  /**
   * Ranges from which nodes get the addresses of their pods, with the prefix length of the block of a node. Empty if
   * nodes get none.
   */
  readonly podRanges: readonly PodRange[]
  /** Ranges of the addresses of load balancers. */
  readonly loadBalancerRanges: readonly string[]
  /** Path of a KubeSchedulerConfiguration. */
  readonly schedulerFile?: string | undefined
  /** Parts of this machine that rules of simulated containers may use. */
  readonly simulatedAccess: readonly SimulatedAccess[]
}

const SIMULATED_ACCESS = ['files', 'processes', 'network'] as const
type SimulatedAccess = (typeof SIMULATED_ACCESS)[number]

/** Most nodes that can be simulated. */
const MOST_NODES = 100_000

const isOffByDefault = (name: ControllerName): boolean => OFF_BY_DEFAULT.some(other => other === name)

/** Flags that only one controller reads. Values other than the default are rejected if it does not run. */
const FLAGS_OF_CONTROLLERS: readonly (readonly [FlagName, ControllerName])[] = [
  ['nodes', 'kubelet'],
  ['simulated-access', 'kubelet'],
  ['scheduler-config', 'scheduler'],
  ['load-balancer-ip-range', 'service-lb-controller'],
]

/** Controllers that `*` stands for. */
const DEFAULTS: Readonly<Record<Profile, readonly ControllerName[]>> = {
  apiserver: CONTROLLER_NAMES,
  binnacle: CONTROLLER_NAMES,
  cluster: BUILT_CONTROLLERS.filter(name => !isOffByDefault(name)),
}

/** Parses the controller flags. Throws FlagError. */
export function controllersOf(profile: Profile, { values }: GivenFlags, read: FlagReader): ControllersConfig {
  const given = values.get('controllers') ?? (profile === 'apiserver' || read.bool('read-only') ? [] : ['*'])
  const enabled = enabledControllers(given, DEFAULTS[profile])
  if (read.bool('read-only') && enabled.size > 0)
    throw new FlagError('--read-only and --controllers are mutually exclusive: controllers write')
  for (const [flag, name] of FLAGS_OF_CONTROLLERS)
    if (read.isChanged(flag) && !enabled.has(name))
      throw new FlagError(`--${flag} has no effect without ${name}: enable it by --profile=cluster`)
  return {
    enabled,
    quotaSyncPeriodMs: read.duration('resource-quota-sync-period'),
    nodes: nodesOf(read.text('nodes') ?? '0'),
    podRanges: podRangesOf(read),
    loadBalancerRanges: rangesOf(read, 'load-balancer-ip-range'),
    schedulerFile: read.text('scheduler-config'),
    simulatedAccess: simulatedAccessOf(read),
  }
}

/** A value that consists of digits is a number, and any other one a file. Throws FlagError. */
function nodesOf(value: string): ControllersConfig['nodes'] {
  if (!/^-?[0-9]+$/.test(value)) return { file: value }
  const count = Number(value)
  if (count < 0 || count > MOST_NODES) throw new FlagError(`--nodes ${value} must be between 0 and ${MOST_NODES}, inclusive`)
  return count
}

/** Parses --simulated-access. Throws FlagError. */
const simulatedAccessOf = (read: FlagReader): SimulatedAccess[] =>
  read.list('simulated-access').map(part => {
    const known = SIMULATED_ACCESS.find(each => each === part)
    if (known === undefined)
      throw new FlagError(`--simulated-access: ${JSON.stringify(part)} is not a part; it may be ${SIMULATED_ACCESS.join(', ')}`)
    return known
  })

const KNOWN: ReadonlySet<string> = new Set([...BUILT_CONTROLLERS, ...MISSING_CONTROLLERS])
const MISSING: ReadonlySet<string> = new Set(MISSING_CONTROLLERS)

/** Its volumes are for simulated nodes: it is not part of `*` if these are excluded. */
const VOLUME_DRIVER: ControllerName = 'volume-driver'

/** Replaces a former name of a controller. */
function presentName(entry: string): string {
  const isExcluded = entry.startsWith('-')
  const name = CONTROLLER_ALIASES.get(isExcluded ? entry.slice(1) : entry)
  return name === undefined ? entry : `${isExcluded ? '-' : ''}${name}`
}

/**
 * Parses `*`, names, and `-name` to exclude, in any order. An explicit name takes precedence over `*`. A controller
 * that is not built can only be excluded. Throws FlagError.
 */
function enabledControllers(entries: readonly string[], defaults: readonly ControllerName[]): ReadonlySet<ControllerName> {
  const given = entries.map(presentName)
  for (const entry of given) {
    if (entry !== '*' && !KNOWN.has(entry.replace(/^-/, '')))
      throw new FlagError(
        `--controllers: ${JSON.stringify(entry)} is not in the list of known controllers: ${BUILT_CONTROLLERS.join(', ')}`,
      )
    if (MISSING.has(entry))
      throw new FlagError(`--controllers: ${JSON.stringify(entry)} is not built into this program; run it as another program`)
  }
  const isDefault = (name: ControllerName): boolean =>
    given.includes('*') && defaults.includes(name) && !(name === VOLUME_DRIVER && given.includes('-kubelet'))
  return new Set(BUILT_CONTROLLERS.filter(name => given.includes(name) || (isDefault(name) && !given.includes(`-${name}`))))
}
