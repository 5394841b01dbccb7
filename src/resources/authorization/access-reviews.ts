import type { ResourceDefinition } from '../../catalog/definition.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import { userOf } from './shared/attributes.ts'
import { answerAccess, refuseInvalid, reviewResource } from './shared/review.ts'
import { validateLocalSubjectAccessReview, validateSelfSubjectAccessReview, validateSubjectAccessReview } from './shared/validation.ts'
import type { LocalSubjectAccessReview, SelfSubjectAccessReview, SubjectAccessReview } from './v1.types.ts'

/** Whether somebody may do something. */
export const createSubjectAccessReviewResource = (authorizer: Authorizer): ResourceDefinition =>
  reviewResource<SubjectAccessReview>(
    'SubjectAccessReview',
    { plural: 'subjectaccessreviews', singular: 'subjectaccessreview' },
    'Cluster',
    async ({ ctx }, review) => {
      refuseInvalid(validateSubjectAccessReview(review))
      return answerAccess(authorizer, review, userOf(review.spec), ctx.signal)
    },
  )

/** Whether somebody may do something in one namespace: for those who may ask about that namespace alone. */
export const createLocalSubjectAccessReviewResource = (authorizer: Authorizer): ResourceDefinition =>
  reviewResource<LocalSubjectAccessReview>(
    'LocalSubjectAccessReview',
    { plural: 'localsubjectaccessreviews', singular: 'localsubjectaccessreview' },
    'Namespaced',
    async ({ ctx }, review) => {
      refuseInvalid(validateLocalSubjectAccessReview(review))
      return answerAccess(authorizer, review, userOf(review.spec), ctx.signal)
    },
  )

/** Whether the one who asks may do something. */
export const createSelfSubjectAccessReviewResource = (authorizer: Authorizer): ResourceDefinition =>
  reviewResource<SelfSubjectAccessReview>(
    'SelfSubjectAccessReview',
    { plural: 'selfsubjectaccessreviews', singular: 'selfsubjectaccessreview' },
    'Cluster',
    async ({ ctx }, review) => {
      refuseInvalid(validateSelfSubjectAccessReview(review))
      return answerAccess(authorizer, review, ctx.user, ctx.signal)
    },
  )
