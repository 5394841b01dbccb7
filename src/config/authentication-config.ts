import type { OidcFlags } from '../auth/authn/jwt/flag-configuration.ts'
import { SIGNING_ALGORITHMS } from '../auth/authn/jwt/signing-algorithms.ts'
import type { Gates } from '../lifecycle/gates.ts'
import type { FlagReader } from './flag-reader.ts'
import type { FlagName } from './flag-table.ts'
import { FlagError, type GivenFlags } from './parse-flags.ts'

/** Authentication by JWT issuers, and anonymous access. */
export interface AuthenticationConfig {
  /** File of `--authentication-config`. Undefined without the flag. */
  readonly configFile: string | undefined
  /** Undefined if no `--oidc-*` flag is given. */
  readonly oidc: OidcFlags | undefined
  /** Value of the flag. The file takes precedence unless the flag is given. */
  readonly anonymous: boolean
  readonly isAnonymousGiven: boolean
}

const OIDC_FLAGS: readonly FlagName[] = [
  'oidc-ca-file',
  'oidc-client-id',
  'oidc-groups-claim',
  'oidc-groups-prefix',
  'oidc-issuer-url',
  'oidc-required-claim',
  'oidc-signing-algs',
  'oidc-username-claim',
  'oidc-username-prefix',
]

/** Whether anonymous access is disabled because AlwaysAllow would grant it everything, as upstream. */
const isOpen = (read: FlagReader): boolean => read.list('authorization-mode').includes('AlwaysAllow')

/** Parses the authentication flags. Throws FlagError with kube-apiserver's message. */
export function authenticationOf(read: FlagReader, { values }: GivenFlags, gates: Gates): AuthenticationConfig {
  const file = read.text('authentication-config')
  const isOidcGiven = OIDC_FLAGS.some(name => values.has(name))
  if (file !== undefined && !gates.enabled('StructuredAuthenticationConfiguration'))
    throw new FlagError('set --feature-gates=StructuredAuthenticationConfiguration=true to use authentication-config file')
  if (file !== undefined && isOidcGiven) throw new FlagError('authentication-config file and oidc-* flags are mutually exclusive')
  return {
    configFile: file,
    oidc: isOidcGiven ? oidcOf(read) : undefined,
    anonymous: read.bool('anonymous-auth') && !isOpen(read),
    isAnonymousGiven: values.has('anonymous-auth'),
  }
}

/** Parses the `--oidc-*` flags. Throws FlagError with kube-apiserver's message. */
function oidcOf(read: FlagReader): OidcFlags {
  const issuerUrl = read.text('oidc-issuer-url')
  const clientId = read.text('oidc-client-id')
  if (issuerUrl === undefined || clientId === undefined)
    throw new FlagError('oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set')
  const signingAlgorithms = read.list('oidc-signing-algs')
  for (const algorithm of signingAlgorithms)
    if (!SIGNING_ALGORITHMS.includes(algorithm)) throw new FlagError(`oidc: unsupported signing alg: ${JSON.stringify(algorithm)}`)
  return {
    issuerUrl,
    clientId,
    caFile: read.text('oidc-ca-file'),
    usernameClaim: read.text('oidc-username-claim') ?? '',
    usernamePrefix: read.text('oidc-username-prefix') ?? '',
    groupsClaim: read.text('oidc-groups-claim') ?? '',
    groupsPrefix: read.text('oidc-groups-prefix') ?? '',
    signingAlgorithms,
    requiredClaims: new Map(read.list('oidc-required-claim').map(requiredClaim)),
  }
}

/** Parses `claim=value`. */
function requiredClaim(pair: string): readonly [string, string] {
  const equals = pair.indexOf('=')
  return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]
}

/** Warnings of kube-apiserver about anonymous access. */
export const anonymousWarnings = (read: FlagReader): string[] =>
  isOpen(read) && read.bool('anonymous-auth')
    ? [
        'AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer',
      ]
    : []
