import { join } from 'node:path'
import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { initError, type PluginConfigurations, pluginConfiguration } from '../../../admission/configuration-file.ts'
import { isAbout } from '../../../admission/refuse.ts'
import type { Namespace, Pod, Toleration } from '../../../api/core/v1.types.ts'
import { isJsonObject, type Json } from '../../../api/meta/object.ts'
import { asKind } from '../../../catalog/define.ts'
import { types } from '../../../catalog/types.ts'
import { JsonSyntaxError, parseJson } from '../../../codec/json.ts'
import { runAtOnce } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { fieldErrorText } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { failure } from '../../../meta/status.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { DecodeError, decode } from '../../../schema/decode.ts'
import { TypeRegistry } from '../../../schema/idl.ts'
import type { StructSchema } from '../../../schema/schema.ts'
import { PODS } from '../../kinds.ts'
import { podQosClass } from '../pod-spec/qos.ts'
import { validateTolerations } from '../pod-spec/scheduling.ts'
import { areAllowed, mergeTolerations } from './tolerations.ts'

/** Name of the plugin in the file and in messages. */
const PLUGIN = 'PodTolerationRestriction'
/** Only version of the configuration. */
const VERSION = 'podtolerationrestriction.admission.k8s.io/v1alpha1'
/** Annotation of a namespace with tolerations to add, as JSON. */
const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations'
/** Annotation of a namespace with the whitelist, as JSON. */
const ALLOWED = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist'

/** Rules for namespaces without the annotations. */
export interface TolerationRules {
  /** Optional. Tolerations to add. */
  readonly default?: readonly Toleration[]
  /** Optional. Without it, or if it is empty, all tolerations are allowed. */
  readonly whitelist?: readonly Toleration[]
}

/** Loads the declarations on demand, that is, if there is a configuration. */
const configurationType = () =>
  new TypeRegistry()
    .addFile('podtolerations', join(import.meta.dirname, 'toleration-restriction.types'))
    .type('podtolerations.Configuration')

/**
 * Reads the plugin's configuration. Throws AdmissionConfigError with upstream's message, and, unlike upstream, also for
 * unknown members.
 */
export function tolerationRules(configurations: PluginConfigurations): TolerationRules {
  const given = pluginConfiguration(configurations, PLUGIN, (version, kind) =>
    kind === 'Configuration' && version === VERSION ? configurationType() : undefined,
  ) as TolerationRules | undefined
  const errors = (['default', 'whitelist'] as const).flatMap(list =>
    runAtOnce(validateTolerations(given?.[list] ?? [], fieldPath('podtolerationrestriction', list))),
  )
  if (errors.length > 0) throw initError(PLUGIN, `invalid config: [${errors.map(fieldErrorText).join(' ')}]`)
  return given ?? {}
}

/** Renames members to their declared spelling: Go matches names ignoring case. */
function withFieldNames({ fields }: StructSchema, value: Json): Json {
  if (!isJsonObject(value)) return value
  const names = new Map([...fields.keys()].map(name => [name.toLowerCase(), name]))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [names.get(name.toLowerCase()) ?? name, member]))
}

/**
 * Returns the tolerations in an annotation of the namespace, or undefined if it is absent. Throws 500, as upstream
 * does.
 */
function annotated({ metadata: { annotations = {} } }: Namespace, name: string): readonly Toleration[] | undefined {
  const text = annotations[name]
  if (text === undefined) return undefined
  if (text === '') return []
  try {
    const { value } = parseJson(Buffer.from(text))
    if (value === null) return []
    if (!Array.isArray(value)) throw new DecodeError('json: cannot unmarshal the value into Go value of type []v1.Toleration')
    const type = types.type('core.Toleration')
    return value.map((item): Toleration => decode(type, withFieldNames(type, item ?? {})))
  } catch (error) {
    throw error instanceof DecodeError || error instanceof JsonSyntaxError ? failure(500, '', error.message) : error
  }
}

/**
 * PodTolerationRestriction adds the default tolerations of the namespace, or else of the cluster, to new pods, and
 * rejects tolerations outside of the whitelist.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podtolerationrestriction
 * @param getNamespace rejects with NotFound if the namespace does not exist.
 */
export function podTolerationRestriction(
  rules: TolerationRules,
  features: Features,
  getNamespace: (name: string) => Promise<Namespace>,
): AdmissionPlugin {
  const addedTo = async ({ operation, namespace }: AdmissionRequest, { spec }: Pod): Promise<readonly Toleration[]> => {
    const defaults = operation === 'CREATE' ? (annotated(await getNamespace(namespace), DEFAULTS) ?? rules.default ?? []) : []
    if (podQosClass(spec, features) === 'BestEffort') return defaults
    return [...defaults, { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }]
  }
  const check = async (request: AdmissionRequest, { spec: { tolerations = [] } }: Pod): Promise<void> => {
    if (tolerations.length === 0) return
    const ofNamespace = annotated(await getNamespace(request.namespace), ALLOWED)
    const allowed = ofNamespace ?? rules.whitelist ?? []
    if (allowed.length === 0 || areAllowed(tolerations, allowed)) return
    const scope = ofNamespace ? 'namespace' : 'cluster'
    // Upstream's error is no Status and becomes a 500.
    throw failure(500, '', `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`)
  }
  return {
    name: PLUGIN,
    handles: request => (request.operation === 'CREATE' || request.operation === 'UPDATE') && isAbout(request, 'pods'),
    mutate: async request => {
      if (!request.object) return request.object
      const pod = asKind(PODS, request.object)
      const added = await addedTo(request, pod)
      const { tolerations = [] } = pod.spec
      if (added.length > 0) pod.spec.tolerations = mergeTolerations(tolerations, added)
      await check(request, pod)
      return request.object
    },
    validate: async request => {
      if (request.object) await check(request, asKind(PODS, request.object))
    },
  }
}
