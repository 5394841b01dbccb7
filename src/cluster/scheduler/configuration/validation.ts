import { duplicate, type FieldError, forbidden, invalid, notFound, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { type ExtenderConfiguration, validateExtenders } from './extender-settings.ts'
import { EXTENSION_POINTS, type PluginSets } from './plugin-sets.ts'

/** A decoded KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1, without defaults. */
export interface SchedulerConfiguration {
  /** Validated and not used: one thread runs all plugins. */
  readonly parallelism?: number
  /** Validated and not used. */
  readonly leaderElection?: { readonly leaderElect?: boolean; readonly resourceLock?: string }
  /** Percentage, at most 100. If it is 0 or absent, it depends on the number of nodes. */
  readonly percentageOfNodesToScore?: number
  /** Delay before a pod that could not be scheduled is tried again. Defaults to 1. */
  readonly podInitialBackoffSeconds?: number
  /** Maximum of that delay. Defaults to 10. */
  readonly podMaxBackoffSeconds?: number
  /** Profiles with unique names. Defaults to one, with the default plugins. */
  readonly profiles?: readonly ProfileConfiguration[]
  readonly extenders?: readonly ExtenderConfiguration[]
}

/** Plugins for the pods that name this scheduler. */
export interface ProfileConfiguration {
  /** `spec.schedulerName` of the pods. Defaults to `default-scheduler` for an only profile. */
  readonly schedulerName?: string
  /** Optional. Overrides that of the configuration. */
  readonly percentageOfNodesToScore?: number
  readonly plugins?: PluginSets
  /** Optional. Arguments by plugin, each at most once. */
  readonly pluginConfig?: readonly { readonly name?: string; readonly args?: unknown }[]
}

/** Plugins that were removed before v1. */
const REMOVED = ['AzureDiskLimits', 'CinderLimits', 'EBSLimits', 'GCEPDLimits']
/** Plugins of upstream that this program does not have. */
const NOT_BUILT = ['DynamicResources', 'GangScheduling', 'PodGroupPodsCount', 'TopologyPlacementGenerator']

/**
 * Validates everything but the arguments of plugins. Plugins that are not built are refused by name.
 *
 * Source: pkg/scheduler/apis/config/validation/validation.go
 *
 * @param known names of the plugins that are built
 */
export function validateSchedulerConfiguration(given: SchedulerConfiguration, known: ReadonlySet<string>): FieldError[] {
  const {
    parallelism = 16,
    leaderElection = {},
    percentageOfNodesToScore,
    podInitialBackoffSeconds = 1,
    podMaxBackoffSeconds = 10,
    profiles = [],
  } = given
  const errors: FieldError[] = []
  const { leaderElect = true, resourceLock = 'leases' } = leaderElection
  if (leaderElect && resourceLock !== 'leases')
    errors.push(invalid(fieldPath('leaderElection', 'resourceLock'), resourceLock, 'resourceLock value must be "leases"'))
  if (parallelism <= 0) errors.push(invalid(fieldPath('parallelism'), parallelism, 'should be an integer value greater than zero'))
  errors.push(...validateProfiles(profiles, known))
  errors.push(...validatePercentage(percentageOfNodesToScore, fieldPath('percentageOfNodesToScore')))
  if (podInitialBackoffSeconds <= 0)
    errors.push(invalid(fieldPath('podInitialBackoffSeconds'), podInitialBackoffSeconds, 'must be greater than 0'))
  if (podMaxBackoffSeconds < podInitialBackoffSeconds)
    errors.push(
      invalid(fieldPath('podMaxBackoffSeconds'), podMaxBackoffSeconds, 'must be greater than or equal to PodInitialBackoffSeconds'),
    )
  errors.push(...validateExtenders(given.extenders ?? []))
  return errors
}

/** Returns the errors of profiles. A repeated name is reported at the later profile. */
function validateProfiles(profiles: readonly ProfileConfiguration[], known: ReadonlySet<string>): FieldError[] {
  const seen = new Map<string, FieldPath>()
  return profiles.flatMap((profile, i) => {
    const path = fieldPath('profiles').index(i)
    // A profile without a name has the default one if it is the only one.
    const { schedulerName = profiles.length === 1 ? 'default-scheduler' : '' } = profile
    const errors = schedulerName === '' ? [required(path.child('schedulerName'), '')] : []
    errors.push(...validatePercentage(profile.percentageOfNodesToScore, path.child('percentageOfNodesToScore')))
    errors.push(...validatePluginSets(profile.plugins ?? {}, path.child('plugins'), known))
    errors.push(...validatePluginNames(profile, path, known))
    const first = seen.get(schedulerName)
    if (first) errors.push(duplicate(path.child('schedulerName'), first.child('schedulerName').text))
    else seen.set(schedulerName, path)
    return errors
  })
}

const validatePercentage = (percentage: number | undefined, path: FieldPath): FieldError[] =>
  percentage !== undefined && (percentage < 0 || percentage > 100) ? [invalid(path, percentage, 'not in valid range [0-100]')] : []

/** Returns the errors of names in plugin sets. */
function validatePluginSets(sets: PluginSets, path: FieldPath, known: ReadonlySet<string>): FieldError[] {
  return [...EXTENSION_POINTS, 'multiPoint' as const].flatMap(point => {
    const enabled = sets[point]?.enabled ?? []
    return enabled.flatMap(({ name = '' }, i) => {
      const at = path.child(point).child('enabled').index(i)
      if (enabled.findIndex(entry => (entry.name ?? '') === name) < i) return [duplicate(at, name)]
      return nameErrors(name, at, known)
    })
  })
}

/** Returns the errors of names in `pluginConfig`. */
function validatePluginNames({ pluginConfig = [] }: ProfileConfiguration, path: FieldPath, known: ReadonlySet<string>): FieldError[] {
  return pluginConfig.flatMap(({ name = '' }, i) => {
    const at = path.child('pluginConfig').index(i)
    const isRepeated = pluginConfig.findIndex(entry => (entry.name ?? '') === name) < i
    return [...(isRepeated ? [duplicate(at, name)] : []), ...nameErrors(name, at, known)]
  })
}

/** Returns the error of a name that is not a built plugin, with its reason. */
function nameErrors(name: string, path: FieldPath, known: ReadonlySet<string>): FieldError[] {
  if (known.has(name)) return []
  if (REMOVED.includes(name))
    return [invalid(path, name, 'was invalid in version "v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")')]
  if (NOT_BUILT.includes(name)) return [forbidden(path, `the plugin ${name} is not built into this program`)]
  return [notFound(path, name, 'there is no plugin of this name')]
}
