import type { LocalSubjectAccessReview, SelfSubjectAccessReview, SubjectAccessReview } from '../../api/authorization/v1.types.ts'
import type { ResourceDefinition } from '../../catalog/definition.ts'
import { startInTurns } from '../../lib/steps.ts'
import type { Features } from '../../lifecycle/gates.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import { reviewUser } from './shared/attributes.ts'
import { answerAccess, refuseInvalid, reviewResource, withoutSelectors } from './shared/review.ts'
import { validateLocalSubjectAccessReview, validateSelfSubjectAccessReview, validateSubjectAccessReview } from './shared/validation.ts'

/** Reviews whether a user may perform a request. */
export const createSubjectAccessReviewResource = (authorizer: Authorizer, features: Features): ResourceDefinition =>
  reviewResource<SubjectAccessReview>(
    'SubjectAccessReview',
    { plural: 'subjectaccessreviews', singular: 'subjectaccessreview' },
    'Cluster',
    async ({ ctx }, asked) => {
      const review = withoutSelectors(asked, features)
      await refuseInvalid(validateSubjectAccessReview(review), ctx.signal)
      const user = await startInTurns(reviewUser(review.spec), ctx.signal)
      return answerAccess(authorizer, review, user, ctx.signal)
    },
  )

/**
 * Reviews whether a user may perform a request in the namespace of the review. Clients can be granted reviews for
 * single namespaces.
 */
export const createLocalSubjectAccessReviewResource = (authorizer: Authorizer, features: Features): ResourceDefinition =>
  reviewResource<LocalSubjectAccessReview>(
    'LocalSubjectAccessReview',
    { plural: 'localsubjectaccessreviews', singular: 'localsubjectaccessreview' },
    'Namespaced',
    async ({ ctx }, asked) => {
      const review = withoutSelectors(asked, features)
      await refuseInvalid(validateLocalSubjectAccessReview(review), ctx.signal)
      const user = await startInTurns(reviewUser(review.spec), ctx.signal)
      return answerAccess(authorizer, review, user, ctx.signal)
    },
  )

/** Reviews whether the user of the request may perform another one. */
export const createSelfSubjectAccessReviewResource = (authorizer: Authorizer, features: Features): ResourceDefinition =>
  reviewResource<SelfSubjectAccessReview>(
    'SelfSubjectAccessReview',
    { plural: 'selfsubjectaccessreviews', singular: 'selfsubjectaccessreview' },
    'Cluster',
    async ({ ctx }, asked) => {
      const review = withoutSelectors(asked, features)
      await refuseInvalid(validateSelfSubjectAccessReview(review), ctx.signal)
      return answerAccess(authorizer, review, ctx.user, ctx.signal)
    },
  )
