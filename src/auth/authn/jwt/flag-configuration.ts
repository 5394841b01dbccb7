import { type AuthenticationConfiguration, completeConfiguration } from './configuration.ts'

/** What the flags `--oidc-*` say of one issuer of tokens; texts may be empty. */
export interface OidcFlags {
  readonly issuerUrl: string
  readonly clientId: string
  readonly caFile: string | undefined
  readonly usernameClaim: string
  /** Empty: the issuer's URL with `#`, unless users are known by their e-mail addresses; `-`: none. */
  readonly usernamePrefix: string
  readonly groupsClaim: string
  readonly groupsPrefix: string
  readonly signingAlgorithms: readonly string[]
  /** By their claims. */
  readonly requiredClaims: ReadonlyMap<string, string>
}

/** The configuration that stands for the flags. `authority`: the text of the CA file. */
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
