import type { JsonObject } from '../../../api/meta/object.ts'
import type { RequestAttributes, User } from '../../../meta/context.ts'
import type { FieldTerm } from '../../../meta/field-selector.ts'
import type { LabelRequirement } from '../../../meta/label-requirement.ts'

/** SubjectAccessReviewSpec of authorization.k8s.io/v1 as sent. Empty members are omitted. */
export type AccessReviewSpec = {
  /** Set for resource requests. */
  resourceAttributes?: JsonObject
  /** Set for other requests. */
  nonResourceAttributes?: JsonObject
  user?: string
  groups?: string[]
  extra?: Record<string, string[]>
  uid?: string
}

/**
 * Builds the SubjectAccessReviewSpec of a request. @param selectors whether to include field and label selectors, if
 * they can be parsed.
 */
export function accessReviewSpec(user: User, request: RequestAttributes, selectors: boolean): AccessReviewSpec {
  const { groups, name, uid, extra } = user
  return {
    ...(request.isResource
      ? { resourceAttributes: resourceAttributes(request, selectors) }
      : { nonResourceAttributes: given({ path: request.path, verb: request.verb }) }),
    ...(name !== '' && { user: name }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(extra &&
      Object.keys(extra).length > 0 && { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
    ...(uid && { uid }),
  }
}

/** Encodes the attributes of a resource request. */
function resourceAttributes(
  { namespace, verb, group, version, resource, subresource, name, fieldSelector, labelSelector }: RequestAttributes,
  selectors: boolean,
): JsonObject {
  const fields = selectors ? (fieldSelector ?? []).map(fieldRequirement) : []
  const labels = selectors ? (labelSelector ?? []).flatMap(labelRequirement) : []
  return {
    ...given({ namespace, verb, group, version, resource, subresource, name }),
    ...(fields.length > 0 && { fieldSelector: { requirements: fields } }),
    ...(labels.length > 0 && { labelSelector: { requirements: labels } }),
  }
}

const given = (members: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''))

const fieldRequirement = ({ field, op, value }: FieldTerm): JsonObject => ({
  key: field,
  operator: op === '!=' ? 'NotIn' : 'In',
  values: [value],
})

/** Operators of authorization.k8s.io. Those of a selector's syntax that have no equivalent are missing. */
const LABEL_OPERATORS: Partial<Record<LabelRequirement['operator'], string>> = {
  in: 'In',
  '=': 'In',
  '==': 'In',
  notin: 'NotIn',
  '!=': 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
}

/**
 * Converts a label requirement. Unsupported operators are dropped. Requirements are ANDed, so dropping one widens the
 * check.
 */
function labelRequirement({ key, operator, values }: LabelRequirement): JsonObject[] {
  const name = LABEL_OPERATORS[operator]
  return name === undefined ? [] : [{ key, operator: name, ...(values.length > 0 && { values: [...values] }) }]
}

/** Encodes the review. v1beta1 has another name for `groups`. */
export function accessReviewText(spec: AccessReviewSpec, version: 'v1' | 'v1beta1'): string {
  const { groups, ...rest } = spec
  return JSON.stringify({
    kind: 'SubjectAccessReview',
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: { creationTimestamp: null },
    spec: version === 'v1' ? spec : { ...rest, ...(groups && { group: groups }) },
    status: { allowed: false },
  })
}
