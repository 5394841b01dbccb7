/**
 * Authentication configuration with all fields set: absent ones have the zero values of apiserver.config.k8s.io
 * AuthenticationConfiguration.
 * https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-k8s-io-v1-AuthenticationConfiguration
 */
export interface AuthenticationConfiguration {
  /** Issuers. Their URLs are unique. */
  readonly jwt: readonly JwtConfiguration[]
  /** Undefined if flags configure anonymous access. */
  readonly anonymous: AnonymousConfiguration | undefined
}

/** Anonymous access. */
export interface AnonymousConfiguration {
  /** Whether anonymous requests are accepted at all. */
  readonly enabled: boolean
  /** Allowed paths. Empty allows all. */
  readonly conditions: readonly { readonly path: string }[]
}

/** An issuer of tokens and the mapping of its claims. */
export interface JwtConfiguration {
  readonly issuer: IssuerConfiguration
  /** All of them must hold. */
  readonly claimValidationRules: readonly ClaimValidationRule[]
  /** User name, groups, UID and extra attributes of the user. */
  readonly claimMappings: ClaimMappings
  /** Expressions over `user`, which must all be true. Evaluated after the claims are mapped. */
  readonly userValidationRules: readonly { readonly expression: string; readonly message: string }[]
}

/** Settings of an issuer. */
export interface IssuerConfiguration {
  /** Must equal the claim `iss`. */
  readonly url: string
  /** URL of the discovery document if it is not below `url`. Empty by default. */
  readonly discoveryURL: string
  /** PEM certificates. Empty for the CAs of the system. */
  readonly certificateAuthority: string
  /** Accepted audiences, at least one. */
  readonly audiences: readonly string[]
  /** `MatchAny`, or empty for one audience. */
  readonly audienceMatchPolicy: string
  /** `controlplane`, `cluster`, or empty for direct connections to the issuer. */
  readonly egressSelectorType: string
}

/** Either a claim with a required value, or an expression that must be true. */
export interface ClaimValidationRule {
  /** Name of the claim. Empty if there is an expression. */
  readonly claim: string
  /** The value must be this string. */
  readonly requiredValue: string
  /** CEL expression over `claims`. Empty if there is a claim. */
  readonly expression: string
  /** Message for a claim that fails the expression. Empty for the default message. */
  readonly message: string
}

/** Mapping of claims to user attributes. */
export interface ClaimMappings {
  /** Required. */
  readonly username: PrefixedClaim
  /** Optional: claim and expression are empty without it. */
  readonly groups: PrefixedClaim
  /** Optional: claim and expression are empty without it. */
  readonly uid: { readonly claim: string; readonly expression: string }
  /** Extra attributes. Keys are domain-prefixed paths. */
  readonly extra: readonly { readonly key: string; readonly valueExpression: string }[]
}

/** Either a claim with a prefix for its value, or an expression. */
export interface PrefixedClaim {
  /** Name of the claim. Empty if there is an expression. */
  readonly claim: string
  /** Required with a claim, so undefined is an error there. */
  readonly prefix: string | undefined
  /** CEL expression over `claims`. Empty if there is a claim. */
  readonly expression: string
}

/** Makes members optional at any depth. */
type Partially<T> = { readonly [K in keyof T]?: Partially<T[K]> | undefined }

/** Configuration as decoded, before defaulting. */
export type GivenConfiguration = Partially<Omit<AuthenticationConfiguration, 'jwt' | 'anonymous'>> & {
  readonly jwt?: readonly GivenJwt[]
  readonly anonymous?: { readonly enabled?: boolean; readonly conditions?: readonly { readonly path?: string }[] }
}

/** Issuer as decoded, before defaulting. */
export interface GivenJwt {
  readonly issuer?: Partially<Omit<IssuerConfiguration, 'audiences'>> & { readonly audiences?: readonly string[] }
  readonly claimValidationRules?: readonly Partially<ClaimValidationRule>[]
  readonly claimMappings?: Partially<Omit<ClaimMappings, 'extra'>> & {
    readonly extra?: readonly Partially<ClaimMappings['extra'][number]>[]
  }
  readonly userValidationRules?: readonly { readonly expression?: string; readonly message?: string }[]
}

/** Sets absent fields to their zero values. */
export function completeConfiguration({ jwt = [], anonymous }: GivenConfiguration): AuthenticationConfiguration {
  return {
    jwt: jwt.map(completeJwt),
    anonymous: anonymous && {
      enabled: anonymous.enabled ?? false,
      conditions: (anonymous.conditions ?? []).map(({ path = '' }) => ({ path })),
    },
  }
}

/** Sets absent fields of one issuer to their zero values. */
export function completeJwt({
  issuer = {},
  claimValidationRules = [],
  claimMappings = {},
  userValidationRules = [],
}: GivenJwt): JwtConfiguration {
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
