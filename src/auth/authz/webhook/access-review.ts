import type { JsonObject } from '../../../api/meta/object.ts'
import { rawJsonInSteps } from '../../../codec/json-in-steps.ts'
import type { Steps } from '../../../lib/steps.ts'
import { hasNoMembers } from '../../../lib/wide-objects.ts'
import type { RequestAttributes, User } from '../../../meta/context.ts'
import { hasFewValues } from '../../../meta/few-values.ts'
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
    // Not copied, because it may have very many members. No code changes a spec.
    ...(extra && !hasNoMembers(extra) && { extra: extra as Record<string, string[]> }),
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

/** Version of SubjectAccessReview that a webhook expects. */
export type AccessReviewVersion = 'v1' | 'v1beta1'

/** Encodes the spec of a review, in parts. v1beta1 has another name for `groups`. */
export function* accessReviewSpecText(spec: AccessReviewSpec, version: AccessReviewVersion): Steps<readonly string[]> {
  const { groups, ...rest } = spec
  const sent = version === 'v1' ? spec : { ...rest, ...(groups && { group: groups }) }
  return hasFewValues(sent) ? [JSON.stringify(sent)] : yield* rawJsonInSteps(sent)
}

/** Encodes the review with its encoded spec. */
export function accessReviewText(spec: readonly string[], version: AccessReviewVersion): string {
  const head = JSON.stringify({
    kind: 'SubjectAccessReview',
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: { creationTimestamp: null },
  })
  return `${head.slice(0, -1)},"spec":${spec.join('')},"status":{"allowed":false}}`
}
