import { defineResource } from '../../../catalog/define.ts'
import type { Names, ResourceDefinition, Version, VirtualCall, VirtualResource } from '../../../catalog/definition.ts'
import { invariant } from '../../../lib/invariant.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import type { Authorizer } from '../../../meta/authorizer.ts'
import type { User } from '../../../meta/context.ts'
import { boundedAtOnce } from '../../../meta/error-bound.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import type { TypedObject } from '../../../meta/object.ts'
import { invalidError } from '../../../meta/status.ts'
import { types } from '../../types.ts'
import type { SelfSubjectAccessReviewSpec, SubjectAccessReviewStatus } from '../v1.types.ts'
import { requestOf, selectorComplaints } from './attributes.ts'

const GROUP = 'authorization.k8s.io'
export const API_VERSION = `${GROUP}/v1`

/** A kind that is a question: it is created, answered, and kept nowhere. */
export function reviewResource<T extends TypedObject>(
  kind: string,
  names: Names,
  scope: ResourceDefinition['scope'],
  answer: (call: VirtualCall<T>, review: T) => Promise<TypedObject>,
): ResourceDefinition {
  const v1: Version<T> = { group: GROUP, name: 'v1', kind, names, verbs: ['create'], schema: types.type(`authorization.${kind}`) }
  const virtual: VirtualResource<T> = {
    async call(call) {
      invariant(call.body, 'a review is asked for with a body')
      return { code: 201, object: await answer(call, call.body) }
    },
  }
  return defineResource<T>({ scope, versions: [v1], hub: v1, virtual })
}

/** Messages name the group of the kind, and not the kind. Of very many errors the first are returned: anybody may ask. */
export function refuseInvalid(validate: () => FieldError[]): void {
  const errors = boundedAtOnce(validate)
  if (errors.length > 0) throw invalidError({ group: GROUP, kind: '' }, '', errors)
}

interface AccessReview extends TypedObject {
  spec: SelfSubjectAccessReviewSpec
  status: SubjectAccessReviewStatus
}

/** While AuthorizeWithSelectors is off nothing is asked about selectors, whatever the review says. */
export function withoutSelectors<T extends AccessReview>(review: T, features: Features): T {
  const { spec } = review
  if (!spec.resourceAttributes || features.enabled('AuthorizeWithSelectors')) return review
  const { fieldSelector: _, labelSelector: __, ...resourceAttributes } = spec.resourceAttributes
  return { ...review, spec: { ...spec, resourceAttributes } }
}

/** The review with the authorizer's answer for the user. */
export async function answerAccess<T extends AccessReview>(authorizer: Authorizer, review: T, user: User, signal: AbortSignal): Promise<T> {
  const { decision, reason, error } = await authorizer.authorize(user, requestOf(review.spec), signal)
  const complaints = [...(error === undefined ? [] : [error]), ...(review.spec.resourceAttributes ? selectorComplaints(review.spec.resourceAttributes) : [])]
  const status: SubjectAccessReviewStatus = {
    allowed: decision === 'allow',
    ...(decision === 'deny' && { denied: true }),
    ...(reason !== '' && { reason }),
    ...(complaints.length > 0 && { evaluationError: complaints.join('; ') }),
  }
  return { ...review, status }
}
