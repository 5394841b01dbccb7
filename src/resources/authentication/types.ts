import type { TypePackage } from '../../schema/idl.ts'

const SELF_REVIEW = `
type SelfSubjectReview typemeta
  metadata 1 meta.ObjectMeta?
  status 2 SelfSubjectReviewStatus?

type SelfSubjectReviewStatus
  userInfo 1 authentication.UserInfo?
`

const TOKEN_REVIEW = `
type TokenReview typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 TokenReviewSpec
  status 3 TokenReviewStatus?

type TokenReviewSpec
  token 1 string?
  audiences 2 []string? atomic

type TokenReviewStatus
  authenticated 1 bool?
  user 2 UserInfo?
  audiences 4 []string? atomic
  error 3 string?

type UserInfo
  username 1 string?
  uid 2 string?
  groups 3 []string? atomic
  extra 4 map[string][]string?
`

/** The types of authentication.k8s.io/v1. */
export const authenticationTypes: TypePackage = {
  id: 'authentication',
  definition: 'io.k8s.api.authentication.v1',
  source: `
type BoundObjectReference
  kind 1 string?
  apiVersion 2 string?
  name 3 string?
  uid 4 UID?

type TokenRequest typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 TokenRequestSpec
  status 3 TokenRequestStatus?

type TokenRequestSpec
  audiences 1 []string atomic
  expirationSeconds 4 *int64 optional
  boundObjectRef 3 *BoundObjectReference optional

type TokenRequestStatus
  token 1 string
  expirationTimestamp 2 Time
${SELF_REVIEW}${TOKEN_REVIEW}`,
}

/** Of versions that are not served any more. */
export const authenticationV1beta1Types: TypePackage = {
  id: 'authenticationV1beta1',
  definition: 'io.k8s.api.authentication.v1beta1',
  source: SELF_REVIEW + TOKEN_REVIEW,
}
export const authenticationV1alpha1Types: TypePackage = {
  id: 'authenticationV1alpha1',
  definition: 'io.k8s.api.authentication.v1alpha1',
  source: SELF_REVIEW,
}
