import type { TypePackage } from '../../schema/idl.ts'

const SELF_REVIEW = `
type SelfSubjectReview typemeta # Tells who the one who asks is taken for; never stored.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  status 2 SelfSubjectReviewStatus? # The answer.

type SelfSubjectReviewStatus # Who asks.
  userInfo 1 authentication.UserInfo? # The user, as authentication (and impersonation) tells it.
`

const TOKEN_REVIEW = `
type TokenReview typemeta # Asks whose token this is; never stored.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 TokenReviewSpec # The token.
  status 3 TokenReviewStatus? # The answer.

type TokenReviewSpec # The token, and for whom it is to be.
  token 1 string? # The token itself.
  audiences 2 []string? atomic # Who the one who asks is, as tokens name it; none: this API server.

type TokenReviewStatus # Whose token it is.
  authenticated 1 bool? # The token is valid, and is a user's.
  user 2 UserInfo? # The user.
  audiences 4 []string? atomic # Those of the audiences asked for that the token is meant for.
  error 3 string? # Why it is not valid.

type UserInfo # A user.
  username 1 string? # The name.
  uid 2 string? # Tells users of the same name apart.
  groups 3 []string? atomic # The groups that the user is in.
  extra 4 map[string][]string? # What else is known.
`

/** The types of authentication.k8s.io/v1. */
export const authenticationTypes: TypePackage = {
  id: 'authentication',
  definition: 'io.k8s.api.authentication.v1',
  source: `
type BoundObjectReference # The object with which a token ends.
  kind 1 string? # Pod, Secret or Node.
  apiVersion 2 string? # Version of its API.
  name 3 string? # Its name.
  uid 4 UID? # Its uid; checked where it stands.

type TokenRequest typemeta # Asks for a token of a service account; never stored.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 TokenRequestSpec # What the token is for.
  status 3 TokenRequestStatus? # The token.

type TokenRequestSpec # What the token is for.
  audiences 1 []string atomic # Who is to accept it; none: this API server. Whoever receives it has to check that it is meant.
  expirationSeconds 4 *int64 optional # How long it is to be valid, an hour where not said; the answer may say less.
  boundObjectRef 3 *BoundObjectReference optional # An object without which the token is not valid any more.

type TokenRequestStatus # The token.
  token 1 string # The token itself, a signed JWT.
  expirationTimestamp 2 Time # When it ends.
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
