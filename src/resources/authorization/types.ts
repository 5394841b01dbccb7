import type { TypePackage } from '../../schema/idl.ts'

/** `groups`: what a review calls the groups of a user. */
const reviewTypes = (groups: string): string => `
type LocalSubjectAccessReview typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 SubjectAccessReviewSpec
  status 3 SubjectAccessReviewStatus?

type NonResourceAttributes
  path 1 string?
  verb 2 string?

type NonResourceRule
  verbs 1 []string atomic
  nonResourceURLs 2 []string? atomic

type ResourceAttributes
  namespace 1 string?
  verb 2 string?
  group 3 string?
  version 4 string?
  resource 5 string?
  subresource 6 string?
  name 7 string?
  fieldSelector 8 *authorization.FieldSelectorAttributes?
  labelSelector 9 *authorization.LabelSelectorAttributes?

type ResourceRule
  verbs 1 []string atomic
  apiGroups 2 []string? atomic
  resources 3 []string? atomic
  resourceNames 4 []string? atomic

type SelfSubjectAccessReview typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 SelfSubjectAccessReviewSpec
  status 3 SubjectAccessReviewStatus?

type SelfSubjectAccessReviewSpec
  resourceAttributes 1 *ResourceAttributes?
  nonResourceAttributes 2 *NonResourceAttributes?

type SelfSubjectRulesReview typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 SelfSubjectRulesReviewSpec
  status 3 SubjectRulesReviewStatus?

type SelfSubjectRulesReviewSpec
  namespace 1 string omitempty optional

type SubjectAccessReview typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 SubjectAccessReviewSpec
  status 3 SubjectAccessReviewStatus?

type SubjectAccessReviewSpec
  resourceAttributes 1 *ResourceAttributes?
  nonResourceAttributes 2 *NonResourceAttributes?
  user 3 string?
  ${groups} 4 []string? atomic
  extra 5 map[string][]string?
  uid 6 string?

type SubjectAccessReviewStatus
  allowed 1 bool
  denied 4 bool?
  reason 2 string?
  evaluationError 3 string?

type SubjectRulesReviewStatus
  resourceRules 1 []ResourceRule atomic
  nonResourceRules 2 []NonResourceRule atomic
  incomplete 3 bool
  evaluationError 4 string?
`

/** The types of authorization.k8s.io/v1. */
export const authorizationTypes: TypePackage = {
  id: 'authorization',
  definition: 'io.k8s.api.authorization.v1',
  source: `
type FieldSelectorAttributes
  rawSelector 1 string?
  requirements 2 []meta.FieldSelectorRequirement? atomic

type LabelSelectorAttributes
  rawSelector 1 string?
  requirements 2 []meta.LabelSelectorRequirement? atomic
${reviewTypes('groups')}`,
}

/** Of a version that is not served any more. */
export const authorizationV1beta1Types: TypePackage = {
  id: 'authorizationV1beta1',
  definition: 'io.k8s.api.authorization.v1beta1',
  source: reviewTypes('group'),
}
