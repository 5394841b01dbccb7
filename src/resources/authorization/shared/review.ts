import type { SelfSubjectAccessReviewSpec, SubjectAccessReviewStatus } from '../../../api/authorization/v1.types.ts'
import type { TypedObject } from '../../../api/meta/object.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Names, ResourceDefinition, Version, VirtualCall, VirtualResource } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { invariant } from '../../../lib/invariant.ts'
import { type Steps, startInTurns } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import type { Authorizer } from '../../../meta/authorizer.ts'
import type { User } from '../../../meta/context.ts'
import { boundedErrors } from '../../../meta/error-bound.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalidError } from '../../../meta/status.ts'
import { reviewedRequest } from './attributes.ts'

const GROUP = 'authorization.k8s.io'
/** apiVersion of all reviews: v1beta1 ended with 1.22. */
export const API_VERSION = `${GROUP}/v1`

/** Defines a review: a kind whose create evaluates the object and returns it without storing it. */
export function reviewResource<T extends TypedObject>(
  kind: string,
  names: Names,
  scope: ResourceDefinition['scope'],
  answer: (call: VirtualCall<T>, review: T) => Promise<TypedObject>,
): ResourceDefinition {
  const v1: Version<T> = { group: GROUP, name: 'v1', kind, names, verbs: ['create'], schema: types.type(`authorization.${kind}`) }
  const virtual: VirtualResource<T> = {
    async call(call) {
      invariant(call.body, 'a request for a review has a body')
      return { code: 201, object: await answer(call, call.body) }
    },
  }
  return defineResource<T>({ scope, versions: [v1], hub: v1, virtual })
}

/**
 * Rejects with 422 if there are errors. The message contains the group of the kind, but not the kind. The number of
 * errors is limited, since any user may create reviews.
 */
export async function refuseInvalid(validation: Steps<FieldError[]>, signal: AbortSignal): Promise<void> {
  const errors = await startInTurns(boundedErrors(validation), signal)
  if (errors.length > 0) throw invalidError({ group: GROUP, kind: '' }, '', errors)
}

interface AccessReview extends TypedObject {
  spec: SelfSubjectAccessReviewSpec
  status: SubjectAccessReviewStatus
}

/** Removes selectors while AuthorizeWithSelectors is off. */
export function withoutSelectors<T extends AccessReview>(review: T, features: Features): T {
  const { spec } = review
  if (!spec.resourceAttributes || features.enabled('AuthorizeWithSelectors')) return review
  const { fieldSelector: _, labelSelector: __, ...resourceAttributes } = spec.resourceAttributes
  return { ...review, spec: { ...spec, resourceAttributes } }
}

/** Returns the review with the authorizer's decision for the user. */
export async function answerAccess<T extends AccessReview>(authorizer: Authorizer, review: T, user: User, signal: AbortSignal): Promise<T> {
  const { attributes, complaints: ofSelectors } = await startInTurns(reviewedRequest(review.spec), signal)
  const { decision, reason, error } = await authorizer.authorize(user, attributes, signal)
  const complaints = [...(error === undefined ? [] : [error]), ...ofSelectors]
  const status: SubjectAccessReviewStatus = {
    allowed: decision === 'allow',
    ...(decision === 'deny' && { denied: true }),
    ...(reason !== '' && { reason }),
    ...(complaints.length > 0 && { evaluationError: complaints.join('; ') }),
  }
  return { ...review, status }
}
