import type { TypePackage } from '../../schema/idl.ts'

/** The types of authentication.k8s.io/v1. */
export const authenticationTypes: TypePackage = {
  id: 'authentication',
  definition: 'io.k8s.api.authentication.v1',
  source: `

type BoundObjectReference
  kind 1 string?
  apiVersion 2 string?
  name 3 string?
  uid 4 string?

type SelfSubjectReview typemeta
  metadata 1 meta.ObjectMeta?
  status 2 SelfSubjectReviewStatus?

type SelfSubjectReviewStatus
  userInfo 1 UserInfo?

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

type UserInfo
  username 1 string?
  uid 2 string?
  groups 3 []string? atomic
  extra 4 map[string][]string?
`,
}
