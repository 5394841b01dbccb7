/**
 * How users are known by tokens of others, complete: what is absent is empty, as the zero values of apiserver.config.k8s.io AuthenticationConfiguration are.
 * https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-k8s-io-v1-AuthenticationConfiguration
 */
export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtConfiguration[]
  /** Undefined: flags decide. */
  readonly anonymous: AnonymousConfiguration | undefined
}

/** Who may come without credentials. */
export interface AnonymousConfiguration {
  readonly enabled: boolean
  /** Empty: any path. */
  readonly conditions: readonly { readonly path: string }[]
}

/** One issuer of tokens, and what its tokens say of users. */
export interface JwtConfiguration {
  readonly issuer: IssuerConfiguration
  readonly claimValidationRules: readonly ClaimValidationRule[]
  readonly claimMappings: ClaimMappings
  readonly userValidationRules: readonly { readonly expression: string; readonly message: string }[]
}

export interface IssuerConfiguration {
  /** The claim `iss`. */
  readonly url: string
  /** The discovery document, if it is not below the URL. */
  readonly discoveryURL: string
  /** PEM; empty: the authorities of the system. */
  readonly certificateAuthority: string
  readonly audiences: readonly string[]
  readonly audienceMatchPolicy: string
  readonly egressSelectorType: string
}

/** Either a claim that must have a value, or an expression that must be true. */
export interface ClaimValidationRule {
  readonly claim: string
  readonly requiredValue: string
  readonly expression: string
  readonly message: string
}

/** Which claims make a user. */
export interface ClaimMappings {
  readonly username: PrefixedClaim
  readonly groups: PrefixedClaim
  readonly uid: { readonly claim: string; readonly expression: string }
  readonly extra: readonly { readonly key: string; readonly valueExpression: string }[]
}

/** Either a claim with what is put before its value, or an expression. */
export interface PrefixedClaim {
  readonly claim: string
  /** Undefined: not said, which is wrong beside a claim. */
  readonly prefix: string | undefined
  readonly expression: string
}

type Partially<T> = { readonly [K in keyof T]?: Partially<T[K]> | undefined }

/** A configuration as it was decoded, or as a test writes it. */
export type GivenConfiguration = Partially<Omit<AuthenticationConfiguration, 'jwt' | 'anonymous'>> & {
  readonly jwt?: readonly GivenJwt[]
  readonly anonymous?: { readonly enabled?: boolean; readonly conditions?: readonly { readonly path?: string }[] }
}

/** One issuer, likewise. */
export interface GivenJwt {
  readonly issuer?: Partially<Omit<IssuerConfiguration, 'audiences'>> & { readonly audiences?: readonly string[] }
  readonly claimValidationRules?: readonly Partially<ClaimValidationRule>[]
  readonly claimMappings?: Partially<Omit<ClaimMappings, 'extra'>> & { readonly extra?: readonly Partially<ClaimMappings['extra'][number]>[] }
  readonly userValidationRules?: readonly { readonly expression?: string; readonly message?: string }[]
}

/** Fills in what is absent. */
export function completeConfiguration({ jwt = [], anonymous }: GivenConfiguration): AuthenticationConfiguration {
  return {
    jwt: jwt.map(completeJwt),
    anonymous: anonymous && { enabled: anonymous.enabled ?? false, conditions: (anonymous.conditions ?? []).map(({ path = '' }) => ({ path })) },
  }
}

/** Fills in what is absent of one issuer. */
export function completeJwt({ issuer = {}, claimValidationRules = [], claimMappings = {}, userValidationRules = [] }: GivenJwt): JwtConfiguration {
  const { username = {}, groups = {}, uid = {}, extra = [] } = claimMappings
  return {
    issuer: {
      url: issuer.url ?? '',
      discoveryURL: issuer.discoveryURL ?? '',
      certificateAuthority: issuer.certificateAuthority ?? '',
      audiences: issuer.audiences ?? [],
      audienceMatchPolicy: issuer.audienceMatchPolicy ?? '',
      egressSelectorType: issuer.egressSelectorType ?? '',
    },
    claimValidationRules: claimValidationRules.map(({ claim = '', requiredValue = '', expression = '', message = '' }) => ({
      claim,
      requiredValue,
      expression,
      message,
    })),
    claimMappings: {
      username: prefixedClaim(username),
      groups: prefixedClaim(groups),
      uid: { claim: uid.claim ?? '', expression: uid.expression ?? '' },
      extra: extra.map(({ key = '', valueExpression = '' }) => ({ key, valueExpression })),
    },
    userValidationRules: userValidationRules.map(({ expression = '', message = '' }) => ({ expression, message })),
  }
}

const prefixedClaim = ({ claim = '', prefix, expression = '' }: Partially<PrefixedClaim>): PrefixedClaim => ({ claim, prefix, expression })
