/**
 * Authentication configuration with all fields set: absent ones have the zero values of apiserver.config.k8s.io
 * AuthenticationConfiguration.
 * https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-k8s-io-v1-AuthenticationConfiguration
 */
export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtConfiguration[]
  /** Undefined if flags configure anonymous access. */
  readonly anonymous: AnonymousConfiguration | undefined
}

/** Anonymous access. */
export interface AnonymousConfiguration {
  readonly enabled: boolean
  /** Allowed paths. Empty allows all. */
  readonly conditions: readonly { readonly path: string }[]
}

/** An issuer of tokens and the mapping of its claims. */
export interface JwtConfiguration {
  readonly issuer: IssuerConfiguration
  readonly claimValidationRules: readonly ClaimValidationRule[]
  readonly claimMappings: ClaimMappings
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
  readonly audiences: readonly string[]
  readonly audienceMatchPolicy: string
  readonly egressSelectorType: string
}

/** Either a claim with a required value, or an expression that must be true. */
export interface ClaimValidationRule {
  readonly claim: string
  readonly requiredValue: string
  readonly expression: string
  readonly message: string
}

/** Mapping of claims to user attributes. */
export interface ClaimMappings {
  readonly username: PrefixedClaim
  readonly groups: PrefixedClaim
  readonly uid: { readonly claim: string; readonly expression: string }
  readonly extra: readonly { readonly key: string; readonly valueExpression: string }[]
}

/** Either a claim with a prefix for its value, or an expression. */
export interface PrefixedClaim {
  readonly claim: string
  /** Required with a claim, so undefined is an error there. */
  readonly prefix: string | undefined
  readonly expression: string
}

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
