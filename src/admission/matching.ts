import type { NamedRuleWithOperations } from '../api/admissionregistration/v1.types.ts'
import type { KubeObject } from '../api/meta/object.ts'
import type { LabelSelector } from '../api/meta/v1.types.ts'
import { errorMessage } from '../lib/error-message.ts'
import { type LabelRequirement, labelSelectorOf, matchesLabels } from '../meta/label-selector.ts'
import { internalServerError, isStatusError } from '../meta/status.ts'
import type { AdmissionRequest } from '../registry/types.ts'
import { equivalentsOf, isNamespaceResource, namespaceOf, requestedResource, type VersionedResource } from './attributes.ts'

/** Whether a rule also matches requests in other versions of its resource. */
export type MatchPolicy = 'Exact' | 'Equivalent'

/** Returns a namespace, from the store if the cache does not have it yet. Throws 404 if it does not exist. */
export type GetNamespace = (name: string) => Promise<KubeObject>

/** A label selector that is parsed once. A malformed one throws on first use. */
export class Selector {
  readonly #requirements: readonly LabelRequirement[] | { readonly fault: string }

  constructor(selector: LabelSelector | undefined) {
    try {
      this.#requirements = labelSelectorOf(selector)
    } catch (error) {
      this.#requirements = { fault: errorMessage(error) }
    }
  }

  /** Whether the selector matches every object. */
  get isEmpty(): boolean {
    return 'length' in this.#requirements && this.#requirements.length === 0
  }

  /** Returns the requirements; an empty list matches everything. Throws 500 if the selector is malformed. */
  parsed(): readonly LabelRequirement[] {
    const requirements = this.#requirements
    if ('fault' in requirements) throw internalServerError(requirements.fault)
    return requirements
  }
}

/**
 * Kinds that configure admission. Webhooks and policies never apply to them, so that a broken one can still be removed.
 */
const EXEMPT: ReadonlySet<string> = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
])

/** Whether webhooks and policies skip the request because its object configures admission. */
export const isExempt = ({ served: { version } }: AdmissionRequest): boolean =>
  version.group === 'admissionregistration.k8s.io' && EXEMPT.has(version.kind)

/**
 * Reviews by group, by which clients authenticate and are authorized: a cluster whose admission refuses them stops
 * working.
 */
export const REVIEWS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['authentication.k8s.io', new Set(['selfsubjectreviews', 'tokenreviews'])],
  [
    'authorization.k8s.io',
    new Set(['localsubjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews']),
  ],
])

/** Reports whether the request is a review. No policy applies to one. */
export const isReview = ({ served: { version } }: AdmissionRequest): boolean =>
  REVIEWS.get(version.group)?.has(version.names.plural) === true

/**
 * Returns the version of the resource in which a rule matches the request, or undefined if none matches. `Exact`
 * compares only the version of the request. `Equivalent` then also compares the other versions in which the same object
 * is served.
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchpolicy
 */
export function matchRules(
  rules: readonly NamedRuleWithOperations[],
  policy: MatchPolicy,
  request: AdmissionRequest,
  asked = requestedResource(request),
): VersionedResource | undefined {
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

/** Matches group, version, resource, scope, operation and resource names. */
function ruleMatches(rule: NamedRuleWithOperations, { resource }: VersionedResource, request: AdmissionRequest): boolean {
  return (
    scopeMatches(rule, resource, request) &&
    includes(rule.operations, request.operation) &&
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some(text => resourceMatches(text, resource.resource, request.subresource)) &&
    (rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(request.name))
  )
}

const includes = (items: readonly string[] | undefined, wanted: string): boolean =>
  items?.some(item => item === '*' || item === wanted) ?? false

/** Matches an entry of `resources`. An entry without a slash matches no subresource. */
function resourceMatches(text: string, resource: string, subresource: string): boolean {
  const slash = text.indexOf('/')
  const [name, sub] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)]
  return (name === '*' || name === resource) && (sub === '*' || sub === subresource)
}

/** Matches the scope. Namespaces are cluster-scoped, although requests to them carry a namespace. */
function scopeMatches(
  { scope = '*' }: NamedRuleWithOperations,
  resource: VersionedResource['resource'],
  request: AdmissionRequest,
): boolean {
  if (scope === '*') return true
  const ofCluster = isNamespaceResource(resource) || namespaceOf(request) === ''
  return scope === 'Cluster' ? ofCluster : scope === 'Namespaced' && !ofCluster
}

/**
 * Whether the selector matches the labels of the request's namespace. Cluster-scoped objects always match. A namespace
 * that is created or updated is matched by its new labels. Throws 404 if the namespace does not exist, 500 if it cannot
 * be read.
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

/** Whether the selector matches the new or the old object. Throws 500 if the selector is malformed. */
export function objectMatches(selector: Selector, { object, old }: AdmissionRequest): boolean {
  const requirements = selector.parsed()
  return requirements.length === 0 || [object, old].some(each => each !== undefined && matchesLabels(requirements, each.metadata?.labels))
}
