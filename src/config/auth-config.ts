import type { Reader } from './flag-reader.ts'
import { FlagError, isTrue } from './parse-flags.ts'

/** The modes that are implemented. `Rules` is our own: a file of who may do what. */
export type AuthorizationMode = 'AlwaysAllow' | 'AlwaysDeny' | 'Node' | 'RBAC' | 'Rules'
/** How tokens of service accounts are issued and checked. */
export interface ServiceAccountConfig {
  /** The first signs, the others are believed. Never empty. */
  readonly issuers: readonly string[]
  /** Undefined: a key is made. */
  readonly signingKeyFile: string | undefined
  readonly keyFiles: readonly string[]
  /** Of this server. Never empty. */
  readonly audiences: readonly string[]
  /** 0: as long as asked for. */
  readonly maxExpirationSeconds: number
  readonly extendExpiration: boolean
  /** Tokens that are kept in Secrets are good only while their Secret is there. */
  readonly lookUp: boolean
  /** Undefined: this server's own. */
  readonly keySetUrl: string | undefined
}

/** Bindings count unless something else is asked for, as with kube-apiserver in a cluster. */
export function authorizationModesOf(read: Reader): readonly AuthorizationMode[] {
  const given = read.list('authorization-mode')
  if (given.length > 0) return given.map(authorizationMode)
  return read.text('authorization-rules-file') === undefined ? ['RBAC'] : ['Rules', 'RBAC']
}

/** Throws FlagError for a mode that is not built, and for one that nobody knows. */
function authorizationMode(mode: string): AuthorizationMode {
  switch (mode) {
    case 'Node':
    case 'AlwaysAllow':
    case 'AlwaysDeny':
    case 'RBAC':
    case 'Rules':
      return mode
    case 'ABAC':
    case 'Webhook':
      throw new FlagError(`--authorization-mode=${mode} is not implemented; it may be Node, RBAC, Rules, AlwaysAllow or AlwaysDeny`)
    default:
      throw new FlagError(
        `--authorization-mode: unsupported authorization mode ${JSON.stringify(mode)}; it may be Node, RBAC, Rules, AlwaysAllow or AlwaysDeny`,
      )
  }
}

/** The bounds of --service-account-max-token-expiration, as kube-apiserver checks them. */
const LEAST_TOKEN_MS = 3_600_000
const MOST_TOKEN_MS = 2 ** 32 * 1000

/** Throws FlagError with kube-apiserver's texts. The first issuer signs; tokens of all of them are accepted. */
export function serviceAccountsOf(read: Reader): ServiceAccountConfig {
  const issuers = read.list('service-account-issuer')
  for (const issuer of issuers)
    if (issuer.includes(':') && !URL.canParse(issuer)) throw new FlagError(`--service-account-issuer contained a ':' but was not a valid URL: ${issuer}`)
  const maxMs = read.duration('service-account-max-token-expiration')
  if (maxMs !== 0 && (maxMs < LEAST_TOKEN_MS || maxMs > MOST_TOKEN_MS))
    throw new FlagError('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds')
  const keySetUrl = read.text('service-account-jwks-uri')
  if (keySetUrl !== undefined && !/^https:\/\//.test(keySetUrl)) throw new FlagError(`service-account-jwks-uri requires https scheme, parsed as: ${keySetUrl}`)
  // Without audiences of its own the API is known by its issuers.
  const audiences = read.list('api-audiences')
  return {
    issuers,
    signingKeyFile: read.text('service-account-signing-key-file'),
    keyFiles: read.list('service-account-key-file'),
    audiences: audiences.length > 0 ? audiences : issuers,
    maxExpirationSeconds: Math.floor(maxMs / 1000),
    extendExpiration: isTrue(read.text('service-account-extend-token-expiration') ?? 'true'),
    lookUp: isTrue(read.text('service-account-lookup') ?? 'true'),
    keySetUrl,
  }
}
