import { join } from 'node:path'
import type { JsonObject } from '../../../api/meta/object.ts'
import { decodeConfigFile } from '../../../codec/config-file.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { type FieldError, fieldErrorText, invalid, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { DecodeError } from '../../../schema/decode.ts'
import { TypeRegistry } from '../../../schema/idl.ts'
import { deviceKinds } from '../../shared/device-kinds.ts'
import { DEFAULT_SCHEDULER, defaultPlugins, type PluginArgs } from '../default-profile.ts'
import type { Extender } from '../extenders/extender.ts'
import { HttpExtender } from '../extenders/http-extender.ts'
import { DYNAMIC_RESOURCES } from '../plugins/dynamic-resources.ts'
import { GANG_SCHEDULING } from '../plugins/gang-scheduling.ts'
import { NODE_DECLARED_FEATURES } from '../plugins/node-declared-features.ts'
import type { Profile } from '../profile.ts'
import type { BackOff } from '../queue.ts'
import { type ArgumentFeatures, hasArguments, validateArguments } from './argument-validation.ts'
import { extenderOptions, ignoredByScheduler } from './extender-settings.ts'
import { choosePlugins, type ExtensionPoint } from './plugin-sets.ts'
import { type ProfileConfiguration, type SchedulerConfiguration, validateSchedulerConfiguration } from './validation.ts'

/** The file of --scheduler-config is invalid. The message is shown to the user. */
export class SchedulerConfigError extends Error {
  override readonly name = 'SchedulerConfigError'
  /** A code, as system errors have one, marks an error that the user can fix. */
  readonly code = 'ERR_SCHEDULER_CONFIG'
}

/** Settings of the scheduler, from a configuration or by default. */
export interface SchedulerSettings {
  /** Profiles by the name of the scheduler that pods choose. */
  readonly profiles: ReadonlyMap<string, Profile>
  readonly backOff: BackOff
  readonly extenders: readonly Extender[]
}

const VERSION = 'kubescheduler.config.k8s.io/v1'
/** Plugins that the scheduler runs by itself. */
const OWN_PLUGINS = ['PrioritySort', 'DefaultPreemption', 'DefaultBinder']

/**
 * Returns the settings of a KubeSchedulerConfiguration, YAML or JSON; the default ones without it. Throws
 * SchedulerConfigError that names the fields.
 */
export function schedulerSettings(bytes: Buffer | undefined, features: ArgumentFeatures): SchedulerSettings {
  const given = bytes ? decodeConfiguration(bytes) : {}
  // While their gates are off, the plugins for devices, gangs and features of nodes may be named, and do nothing.
  const devices = deviceKinds(features.release) ? [DYNAMIC_RESOURCES] : []
  const later = isSince(features.release, '1.35') ? [GANG_SCHEDULING, NODE_DECLARED_FEATURES] : []
  const known = new Set([
    ...OWN_PLUGINS,
    ...devices,
    ...later,
    ...defaultPlugins({}, features.release, gate => features.enabled(gate)).map(({ plugin }) => plugin.name),
  ])
  const errors = validateSchedulerConfiguration(given, known)
  if (errors.length > 0) throw configError(errors)
  const profiles = (given.profiles?.length ? given.profiles : [{}]).map((profile, i) =>
    profileOf(profile, given, fieldPath('profiles').index(i), features),
  )
  const { podInitialBackoffSeconds = 1, podMaxBackoffSeconds = 10 } = given
  return {
    profiles: new Map(profiles.map(profile => [profile.schedulerName, profile])),
    backOff: {
      firstMs: 1000 * podInitialBackoffSeconds,
      longestMs: 1000 * podMaxBackoffSeconds,
      endsEarly: features.enabled('SchedulerPopFromBackoffQ'),
    },
    extenders: (given.extenders ?? []).map(each => new HttpExtender(extenderOptions(each))),
  }
}

const configError = (errors: readonly FieldError[]): SchedulerConfigError => {
  const texts = errors.map(fieldErrorText)
  return new SchedulerConfigError(`--scheduler-config: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`)
}

/** The declarations are loaded only if there is a configuration. */
const configurationTypes = () => new TypeRegistry().addFile('schedulerconfig', join(import.meta.dirname, 'scheduler-configuration.types'))

function decodeConfiguration(bytes: Buffer): SchedulerConfiguration {
  return decoded(bytes, 'KubeSchedulerConfiguration') as SchedulerConfiguration
}

function decoded(bytes: Buffer, wanted: string): JsonObject {
  try {
    return decodeConfigFile(bytes, (version, kind) =>
      version === VERSION && kind === wanted ? configurationTypes().type(`schedulerconfig.${kind}`) : undefined,
    )
  } catch (error) {
    throw error instanceof DecodeError ? new SchedulerConfigError(`--scheduler-config: ${error.message}`) : error
  }
}

function profileOf(profile: ProfileConfiguration, given: SchedulerConfiguration, path: FieldPath, features: ArgumentFeatures): Profile {
  const { schedulerName = DEFAULT_SCHEDULER, percentageOfNodesToScore = given.percentageOfNodesToScore ?? 0, plugins: sets = {} } = profile
  const args = withIgnoredResources(argumentsOf(profile, path, features), ignoredByScheduler(given.extenders ?? []))
  const { plugins, byPoint } = choosePlugins(
    defaultPlugins(args, features.release, gate => features.enabled(gate)),
    sets,
  )
  const has = (point: ExtensionPoint): boolean => (byPoint.get(point)?.length ?? 0) > 0
  const errors = [
    ...(has('queueSort')
      ? []
      : [
          required(
            path.child('plugins').child('queueSort'),
            `one queue sort plugin required for profile with scheduler name ${JSON.stringify(schedulerName)}`,
          ),
        ]),
    ...(has('bind')
      ? []
      : [
          required(
            path.child('plugins').child('bind'),
            `at least one bind plugin is needed for profile with scheduler name ${JSON.stringify(schedulerName)}`,
          ),
        ]),
  ]
  if (errors.length > 0) throw configError(errors)
  return { schedulerName, plugins, percentageOfNodesToScore, ...(has('postFilter') && { preemption: args.DefaultPreemption ?? {} }) }
}

/** Resources that only extenders regard do not decide. */
function withIgnoredResources(args: AllArgs, ignored: readonly string[]): AllArgs {
  if (ignored.length === 0) return args
  const { NodeResourcesFit: fit = {} } = args
  return { ...args, NodeResourcesFit: { ...fit, ignoredResources: [...(fit.ignoredResources ?? []), ...ignored] } }
}

/** Arguments of all plugins that have any, as they are decoded. */
type AllArgs = PluginArgs & { readonly VolumeBinding?: object }

function argumentsOf({ pluginConfig = [] }: ProfileConfiguration, path: FieldPath, features: ArgumentFeatures): AllArgs {
  const all: Record<string, object> = {}
  const errors: FieldError[] = []
  for (const [i, { name = '', args }] of pluginConfig.entries()) {
    const at = path.child('pluginConfig').index(i).child('args')
    if (args === undefined) continue
    if (!hasArguments(name, features)) {
      errors.push(invalid(at, args, `the plugin ${name} has no arguments`))
      continue
    }
    const parts = decoded(Buffer.from(JSON.stringify({ apiVersion: VERSION, kind: `${name}Args`, ...(args as object) })), `${name}Args`)
    errors.push(...validateArguments(name, parts, features, at))
    all[name] = parts
  }
  if (errors.length > 0) throw configError(errors)
  return all
}
