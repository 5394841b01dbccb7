import type { TypePackage } from '../../schema/idl.ts'

/** `groups`: what a review calls the groups of a user. */
const reviewTypes = (groups: string): string => `
type LocalSubjectAccessReview typemeta # Asks whether somebody may do something in the namespace of the request; never stored.
  metadata 1 meta.ObjectMeta? # Empty but for the namespace.
  spec 2 SubjectAccessReviewSpec # Who, and what.
  status 3 SubjectAccessReviewStatus? # The answer.

type NonResourceAttributes # A request for a path that is no resource.
  path 1 string? # Its path.
  verb 2 string? # The HTTP method in lower case.

type NonResourceRule # What may be done with paths that are no resources.
  verbs 1 []string atomic # HTTP methods in lower case; * for all.
  nonResourceURLs 2 []string? atomic # Paths; * at the end stands for the rest.

type ResourceAttributes # A request for a resource.
  namespace 1 string? # Its namespace; none for cluster-scoped resources, and for a request across all namespaces.
  verb 2 string? # get, list, watch, create, update, patch, delete and others; * for all of them.
  group 3 string? # The API group; * for all.
  version 4 string? # The version; * for all.
  resource 5 string? # The resource in plural; * for all.
  subresource 6 string? # The subresource, if any.
  name 7 string? # The object; none for a request about all of them.
  fieldSelector 8 *authorization.FieldSelectorAttributes? # The selector that narrows the request; an authorizer may let it count, or not.
  labelSelector 9 *authorization.LabelSelectorAttributes? # The selector that narrows the request; an authorizer may let it count, or not.

type ResourceRule # What may be done with resources.
  verbs 1 []string atomic # Verbs; * for all.
  apiGroups 2 []string? atomic # Groups of the resources; * for all.
  resources 3 []string? atomic # Resources in plural, with subresources as pods/log; * for all.
  resourceNames 4 []string? atomic # Only objects of these names; all where there are none.

type SelfSubjectAccessReview typemeta # Asks whether the one who asks may do something; never stored.
  metadata 1 meta.ObjectMeta? # Empty.
  spec 2 SelfSubjectAccessReviewSpec # What.
  status 3 SubjectAccessReviewStatus? # The answer.

type SelfSubjectAccessReviewSpec # A request, for a resource or for another path.
  resourceAttributes 1 *ResourceAttributes? # A request for a resource.
  nonResourceAttributes 2 *NonResourceAttributes? # A request for another path.

type SelfSubjectRulesReview typemeta # Asks what the one who asks may do in a namespace; never stored. For showing, not for deciding.
  metadata 1 meta.ObjectMeta? # Empty.
  spec 2 SelfSubjectRulesReviewSpec # Where.
  status 3 SubjectRulesReviewStatus? # The answer.

type SelfSubjectRulesReviewSpec # Where to look.
  namespace 1 string omitempty optional # The namespace; needed.

type SubjectAccessReview typemeta # Asks whether somebody may do something; never stored.
  metadata 1 meta.ObjectMeta? # Empty.
  spec 2 SubjectAccessReviewSpec # Who, and what.
  status 3 SubjectAccessReviewStatus? # The answer.

type SubjectAccessReviewSpec # Who asks for what: a request for a resource or for another path.
  resourceAttributes 1 *ResourceAttributes? # A request for a resource.
  nonResourceAttributes 2 *NonResourceAttributes? # A request for another path.
  user 3 string? # The user's name; this or ${groups} is needed.
  ${groups} 4 []string? atomic # The groups that the user is in.
  extra 5 map[string][]string? # What else authentication tells of the user.
  uid 6 string? # The user's uid.

type SubjectAccessReviewStatus # Whether it is allowed.
  allowed 1 bool # It is.
  denied 4 bool? # Somebody has decided against it, so nobody after it is asked. Neither of the two: nobody allows it.
  reason 2 string? # Why.
  evaluationError 3 string? # What went wrong while deciding; the decision stands all the same.

type SubjectRulesReviewStatus # What may be done, as far as is known.
  resourceRules 1 []ResourceRule atomic # With resources, in no particular order.
  nonResourceRules 2 []NonResourceRule atomic # With other paths, in no particular order.
  incomplete 3 bool # There may be more: some authorizer can not tell its rules.
  evaluationError 4 string? # Why it may be incomplete.
`

/** The types of authorization.k8s.io/v1. */
export const authorizationTypes: TypePackage = {
  id: 'authorization',
  definition: 'io.k8s.api.authorization.v1',
  source: `
type FieldSelectorAttributes # The field selector of a list, a watch or a deletion of a collection: one of the two.
  rawSelector 1 string? # As it stands in a query; what can not be read is left out of account.
  requirements 2 []meta.FieldSelectorRequirement? atomic # Its terms, all of which hold.

type LabelSelectorAttributes # The label selector of a list, a watch or a deletion of a collection: one of the two.
  rawSelector 1 string? # As it stands in a query; what can not be read is left out of account.
  requirements 2 []meta.LabelSelectorRequirement? atomic # Its terms, all of which hold.
${reviewTypes('groups')}`,
}

/** Of a version that is not served any more. */
export const authorizationV1beta1Types: TypePackage = {
  id: 'authorizationV1beta1',
  definition: 'io.k8s.api.authorization.v1beta1',
  source: reviewTypes('group'),
}
