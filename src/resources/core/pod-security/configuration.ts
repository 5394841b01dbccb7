import { join } from 'node:path'
import { AdmissionConfigError, type PluginConfigurations, pluginConfiguration } from '../../../admission/configuration-file.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { duplicate, type FieldError, fieldErrorText, invalid } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isDns1123Label, isDns1123Subdomain } from '../../../meta/names.ts'
import { TypeRegistry } from '../../../schema/idl.ts'
import { isLevel, isPolicyVersion, LEVEL_FAULT, type LevelVersion, VERSION_FAULT } from './level.ts'
import { type Mode, type NamespacePolicy, PRIVILEGED } from './policy.ts'

/** Users, namespaces and runtime classes whose pods are not checked. */
export interface Exemptions {
  /** Exact names, without patterns. So are those of the other lists. */
  readonly usernames: ReadonlySet<string>
  readonly namespaces: ReadonlySet<string>
  readonly runtimeClasses: ReadonlySet<string>
}

/** Configuration of the plugin. The labels of a namespace replace its defaults. */
export interface PodSecurityConfiguration {
  /** Policy of namespaces without labels. */
  readonly defaults: NamespacePolicy
  /** Exemptions, which hold in every mode. */
  readonly exemptions: Exemptions
}

/** Defaults without a configuration file: no standard is enforced. */
export const NO_CONFIGURATION: PodSecurityConfiguration = {
  defaults: PRIVILEGED,
  exemptions: { usernames: new Set(), namespaces: new Set(), runtimeClasses: new Set() },
}

/** Name of the plugin in the file and in messages. */
const PLUGIN = 'PodSecurity'
/** API group of the plugin's configuration. */
const GROUP = 'pod-security.admission.config.k8s.io'

/** Decoded form of the configuration file. */
interface GivenConfiguration {
  /** Optional. Levels by mode, and versions by `<mode>-version`. */
  readonly defaults?: Readonly<Record<string, string>>
  /** Optional. Lists as they were written, repeats included. */
  readonly exemptions?: Partial<Readonly<Record<keyof Exemptions, readonly string[]>>>
}

/** Reads the plugin's configuration. Throws AdmissionConfigError with upstream's message. */
export function podSecurityConfiguration(configurations: PluginConfigurations, release: Release): PodSecurityConfiguration {
  const given = pluginConfiguration(configurations, PLUGIN, (version, kind) =>
    kind === 'PodSecurityConfiguration' && isVersion(version, release) ? configurationType() : undefined,
  ) as GivenConfiguration | undefined
  if (given === undefined) return NO_CONFIGURATION
  const { defaults = {}, exemptions: { usernames = [], namespaces = [], runtimeClasses = [] } = {} } = given
  const policy = defaultsOf(defaults)
  const errors = [
    ...exemptionErrors(namespaces, fieldPath('exemptions', 'namespaces'), isDns1123Label),
    ...exemptionErrors(runtimeClasses, fieldPath('exemptions', 'runtimeClasses'), isDns1123Subdomain),
    ...exemptionErrors(usernames, fieldPath('exemptions', 'usernames'), name => (name === '' ? ['username must not be empty'] : [])),
  ]
  if (errors.length > 0) throw configurationError(`invalid: ${aggregate(errors.map(fieldErrorText))}`)
  return {
    defaults: policy,
    exemptions: { usernames: new Set(usernames), namespaces: new Set(namespaces), runtimeClasses: new Set(runtimeClasses) },
  }
}

/** All versions have the same fields. */
const isVersion = (version: string, release: Release): boolean =>
  version === `${GROUP}/v1beta1` || version === `${GROUP}/v1alpha1` || (version === `${GROUP}/v1` && isSince(release, '1.25'))

/** Loads the declarations on demand, that is, if there is a configuration. */
const configurationType = () =>
  new TypeRegistry().addFile('podsecurity', join(import.meta.dirname, 'pod-security.types')).type('podsecurity.PodSecurityConfiguration')

const configurationError = (why: string): AdmissionConfigError =>
  new AdmissionConfigError(`failed to initialize admission plugin "${PLUGIN}": ${PLUGIN} ${why}`)

/** An empty string counts as unset. */
function defaultsOf(given: Readonly<Record<string, string>>): NamespacePolicy {
  const faults: string[] = []
  const read = (mode: Mode): LevelVersion => {
    const level = given[mode] || 'privileged'
    const version = given[`${mode}-version`] || 'latest'
    if (isLevel(level) && isPolicyVersion(version)) return { level, version }
    if (!isLevel(level)) faults.push(`${mode}: ${LEVEL_FAULT}`)
    if (!isPolicyVersion(version)) faults.push(`${mode}-version: ${VERSION_FAULT}`)
    return PRIVILEGED[mode]
  }
  const policy = { enforce: read('enforce'), audit: read('audit'), warn: read('warn') }
  if (faults.length > 0) throw configurationError(`configuration error: ${aggregate(faults)}`)
  return policy
}

/** Returns an error for each name that is invalid or repeated. A name has only one of the two errors. */
function exemptionErrors(names: readonly string[], path: FieldPath, faultsOf: (name: string) => readonly string[]): FieldError[] {
  const known = new Set<string>()
  return names.flatMap((name, i) => {
    const faults = faultsOf(name)
    if (faults.length > 0) return [invalid(path.index(i), name, faults.join(', '))]
    if (known.has(name)) return [duplicate(path.index(i), name)]
    known.add(name)
    return []
  })
}
