import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { initError, type PluginConfigurations } from '../../../admission/configuration-file.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import type { Namespace } from '../../../api/core/v1.types.ts'
import { objectIn } from '../../../api/meta/object.ts'
import { asKind } from '../../../catalog/define.ts'
import { parseYaml, YamlError } from '../../../codec/yaml.ts'
import { fieldErrorText, invalid } from '../../../meta/field-error.ts'
import { FieldPath } from '../../../meta/field-path.ts'
import type { Labels } from '../../../meta/label-matcher.ts'
import { isQualifiedName, isValidLabelValue } from '../../../meta/names.ts'
import { failure } from '../../../meta/status.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { PODS } from '../../kinds.ts'

const PLUGIN = 'PodNodeSelector'
const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector'
/** Member of the configuration that applies to namespaces without the annotation. */
const DEFAULT = 'clusterDefaultNodeSelector'
const MEMBER = 'podnodeselectorpluginconfig'

/** Node selectors by namespace; the default has the key `clusterDefaultNodeSelector`. */
export type NodeSelectors = ReadonlyMap<string, string>

/** Reads the plugin's configuration. Its only member is matched ignoring case. Throws AdmissionConfigError. */
export function nodeSelectorsOf(configurations: PluginConfigurations): NodeSelectors {
  const bytes = configurations.get(PLUGIN)
  if (bytes === undefined) return new Map()
  try {
    const given = Object.entries(objectIn(parseYaml(bytes).value)).find(([name]) => name.toLowerCase() === MEMBER)?.[1]
    const selectors = Object.entries(objectIn(given)).map(([name, selector]): [string, string] => {
      if (typeof selector !== 'string') throw initError(PLUGIN, `the selector of ${name} is no text`)
      return [name, selector]
    })
    return new Map(selectors)
  } catch (error) {
    throw error instanceof YamlError ? initError(PLUGIN, error.message) : error
  }
}

/**
 * Parses a selector of the form `a=b,c=d` into labels. Throws 500, as upstream does. Source: ConvertSelectorToLabelsMap
 * in k8s.io/apimachinery.
 */
function parseSelectorLabels(selector: string): Labels {
  if (selector === '') return {}
  const pairs = selector.split(',').map((part): [string, string] => {
    const [key = '', value = '', ...more] = part.split('=')
    if (!part.includes('=') || more.length > 0) throw failure(500, '', `invalid selector: [${part.split('=').join(' ')}]`)
    return [key.trim(), value.trim()]
  })
  for (const [key, value] of pairs) {
    const wrongKey = isQualifiedName(key)
    const wrongValue = isValidLabelValue(value)
    if (wrongKey.length > 0) throw failure(500, '', fieldErrorText(invalid(NOWHERE, key, wrongKey.join('; '))))
    if (wrongValue.length > 0) throw failure(500, '', fieldErrorText(invalid(NOWHERE.key(key), value, wrongValue.join('; '))))
  }
  return Object.fromEntries(pairs)
}

const NOWHERE = new FieldPath('')

const conflict = (a: Labels, b: Labels): boolean => Object.entries(a).some(([key, value]) => Object.hasOwn(b, key) && b[key] !== value)

/**
 * PodNodeSelector adds the node selector of the namespace, or else of the cluster, to new pods, and rejects pods that
 * select nodes outside of those the configuration allows.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podnodeselector
 * @param getNamespace rejects with NotFound if the namespace does not exist.
 */
export function podNodeSelector(selectors: NodeSelectors, getNamespace: (name: string) => Promise<Namespace>): AdmissionPlugin {
  const ofNamespace = async (name: string): Promise<Labels> => {
    const { annotations } = (await getNamespace(name)).metadata
    return parseSelectorLabels(annotations?.[ANNOTATION] ?? selectors.get(DEFAULT) ?? '')
  }
  const check = (request: AdmissionRequest, wanted: Labels, own: Labels): void => {
    if (conflict(wanted, own)) throw refuse(request, 'pod node label selector conflicts with its namespace node label selector')
  }
  const checkAllowed = (request: AdmissionRequest, own: Labels): void => {
    const allowed = parseSelectorLabels(selectors.get(request.namespace) ?? '')
    if (
      Object.keys(allowed).length > 0 &&
      Object.entries(own).some(([key, value]) => !Object.hasOwn(allowed, key) || allowed[key] !== value)
    )
      throw refuse(request, 'pod node label selector labels conflict with its namespace whitelist')
  }
  return {
    name: PLUGIN,
    handles: request => request.operation === 'CREATE' && isAbout(request, 'pods'),
    mutate: async request => {
      const { object, namespace } = request
      if (!object) return object
      const { spec } = asKind(PODS, object)
      const wanted = await ofNamespace(namespace)
      check(request, wanted, spec.nodeSelector ?? {})
      const merged = { ...wanted, ...spec.nodeSelector }
      if (Object.keys(merged).length > 0) spec.nodeSelector = merged
      checkAllowed(request, merged)
      return object
    },
    validate: async request => {
      if (!request.object) return
      const { nodeSelector = {} } = asKind(PODS, request.object).spec
      check(request, await ofNamespace(request.namespace), nodeSelector)
      checkAllowed(request, nodeSelector)
    },
  }
}
