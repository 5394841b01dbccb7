import { type AuthenticationConfiguration, completeConfiguration } from './configuration.ts'

/** The `--oidc-*` flags. Texts may be empty. */
export interface OidcFlags {
  readonly issuerUrl: string
  /** The only accepted audience. */
  readonly clientId: string
  /** PEM certificates of the issuer. Undefined for the CAs of the system. */
  readonly caFile: string | undefined
  /** Claim that names the user. Default: `sub`. */
  readonly usernameClaim: string
  /** If empty, the prefix is the issuer's URL and `#`, or none if the username claim is `email`. `-`: no prefix. */
  readonly usernamePrefix: string
  /** Claim that lists the groups. Empty if tokens have no groups. */
  readonly groupsClaim: string
  readonly groupsPrefix: string
  /** Accepted algorithms (RFC 7518), such as `RS256`. */
  readonly signingAlgorithms: readonly string[]
  /** Required values by claim. */
  readonly requiredClaims: ReadonlyMap<string, string>
}

/** Converts the flags to a configuration. @param authority content of the CA file. */
export function flagConfiguration(flags: OidcFlags, authority: string): AuthenticationConfiguration {
  const { issuerUrl: url, clientId, usernameClaim, usernamePrefix: given, groupsClaim, groupsPrefix, requiredClaims } = flags
  const otherwise = usernameClaim === 'email' ? '' : `${url}#`
  return completeConfiguration({
    jwt: [
      {
        issuer: { url, audiences: [clientId], certificateAuthority: authority },
        claimMappings: {
          username: { claim: usernameClaim, prefix: given === '-' ? '' : given || otherwise },
          ...(groupsClaim !== '' && { groups: { claim: groupsClaim, prefix: groupsPrefix } }),
        },
        claimValidationRules: [...requiredClaims].map(([claim, requiredValue]) => ({ claim, requiredValue })),
      },
    ],
  })
}
