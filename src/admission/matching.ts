import { errorMessage } from '../lib/error-message.ts'
import { type LabelRequirement, type LabelSelector, labelSelectorOf, matchesLabels } from '../meta/label-selector.ts'
import type { KubeObject } from '../meta/object.ts'
import { internalServerError, isStatusError } from '../meta/status.ts'
import type { AdmissionRequest } from '../registry/types.ts'
import { type About, aboutRequest, equivalentsOf, isNamespaceResource, namespaceOf } from './attributes.ts'

/** admissionregistration.k8s.io RuleWithOperations; with resourceNames NamedRuleWithOperations. */
export interface Rule {
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  /** `pods`, `pods/status`, `pods/*`, `*`, or `*` with either */
  readonly resources?: readonly string[]
  /** `Cluster`, `Namespaced` or `*`. */
  readonly scope?: string
  readonly resourceNames?: readonly string[]
}

/** Whether a rule also matches other versions of the resource that it names. */
export type MatchPolicy = 'Exact' | 'Equivalent'

/** The namespace of this name, which need not be in the cache yet. Throws 404 where there is none. */
export type GetNamespace = (name: string) => Promise<KubeObject>

/** A label query that is read once. A malformed one throws when it is used. */
export class Selector {
  private readonly requirements: readonly LabelRequirement[] | { readonly fault: string }

  constructor(selector: LabelSelector | undefined) {
    try {
      this.requirements = labelSelectorOf(selector)
    } catch (error) {
      this.requirements = { fault: errorMessage(error) }
    }
  }

  /** Whether it is there to match everything. */
  get isEmpty(): boolean {
    return 'length' in this.requirements && this.requirements.length === 0
  }

  /** An empty list matches everything. Throws 500 where the query can't be read. */
  parsed(): readonly LabelRequirement[] {
    const { requirements } = this
    if ('fault' in requirements) throw internalServerError(requirements.fault)
    return requirements
  }
}

/** Kinds that admission's own configuration consists of: no webhook and no policy acts on them, or nobody could mend them. */
const EXEMPT: ReadonlySet<string> = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
])

/** Webhook configurations and policies are not subject to webhooks: a broken one could not be removed. */
export const isExempt = ({ served: { version } }: AdmissionRequest): boolean => version.group === 'admissionregistration.k8s.io' && EXEMPT.has(version.kind)

/**
 * In which version of its resource the first of the rules matches the request; undefined where none does. Exact looks at the version of the request alone; Equivalent, if that does
 * not match, at the others in which the same object is served.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchpolicy
 */
export function matchRules(rules: readonly Rule[], policy: MatchPolicy, request: AdmissionRequest, asked = aboutRequest(request)): About | undefined {
  if (rules.length === 0) return undefined
  if (rules.some(rule => ruleMatches(rule, asked, request))) return asked
  if (policy !== 'Equivalent' || request.served.definition.versions.length < 2) return undefined
  const equivalents = equivalentsOf(request)
  for (const rule of rules) {
    const found = equivalents.find(about => ruleMatches(rule, about, request))
    if (found) return found
  }
  return undefined
}

/** Group, version, resource, scope and operation. */
function ruleMatches(rule: Rule, { resource }: About, request: AdmissionRequest): boolean {
  return (
    scopeMatches(rule, resource, request) &&
    includes(rule.operations, request.operation) &&
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some(text => resourceMatches(text, resource.resource, request.subresource)) &&
    (rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(request.name))
  )
}

const includes = (items: readonly string[] | undefined, wanted: string): boolean => items?.some(item => item === '*' || item === wanted) ?? false

/** Whether a rule names the resource, or `*`; without a slash it says nothing of subresources. */
function resourceMatches(text: string, resource: string, subresource: string): boolean {
  const slash = text.indexOf('/')
  const [name, sub] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)]
  return (name === '*' || name === resource) && (sub === '*' || sub === subresource)
}

/** A namespace is an object of the cluster, though requests to it have a namespace. */
function scopeMatches({ scope = '*' }: Rule, resource: About['resource'], request: AdmissionRequest): boolean {
  if (scope === '*') return true
  const ofCluster = isNamespaceResource(resource) || namespaceOf(request) === ''
  return scope === 'Cluster' ? ofCluster : scope === 'Namespaced' && !ofCluster
}

/**
 * Whether the labels of the request's namespace are selected; what is in no namespace always is. A namespace that is created or updated is judged by the labels that it is to have.
 * Throws 404 where the namespace is not there, 500 where that can't be determined.
 */
export async function namespaceMatches(selector: Selector, request: AdmissionRequest, getNamespace: GetNamespace): Promise<boolean> {
  const { plural } = request.served.version.names
  const namespace = namespaceOf(request)
  if (namespace === '' && plural !== 'namespaces') return true
  const requirements = selector.parsed()
  if (requirements.length === 0) return true
  const { operation, subresource, object } = request
  if (plural === 'namespaces' && subresource === '' && object && (operation === 'CREATE' || operation === 'UPDATE'))
    return matchesLabels(requirements, object.metadata.labels)
  try {
    return matchesLabels(requirements, (await getNamespace(namespace)).metadata.labels)
  } catch (error) {
    throw isStatusError(error, 'NotFound') ? error : internalServerError(errorMessage(error))
  }
}

/** Whether the object is selected as it is to be or as it is. Throws 500 where the selector can't be read. */
export function objectMatches(selector: Selector, { object, old }: AdmissionRequest): boolean {
  const requirements = selector.parsed()
  return requirements.length === 0 || [object, old].some(each => each !== undefined && matchesLabels(requirements, each.metadata?.labels))
}
