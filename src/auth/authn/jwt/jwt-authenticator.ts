import { errorMessage } from '../../../lib/error-message.ts'
import { quote } from '../../../lib/go-quote.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Release } from '../../../lifecycle/release.ts'
import type { User } from '../../../meta/context.ts'
import type { IssuerConfiguration } from './configuration.ts'
import { ClaimResolver } from './distributed-claims.ts'
import { verifyIdToken } from './id-token.ts'
import type { IssuerClient } from './issuer-client.ts'
import type { KeySet } from './key-set.ts'
import type { JwtMetrics } from './metrics.ts'
import { discoverKeys, untilDone } from './provider.ts'
import { userOfClaims } from './user-of-claims.ts'
import type { CompiledJwt } from './validation.ts'

/** Authenticates tokens of one issuer. */
export interface JwtAuthenticator {
  readonly issuer: string
  /** Resolves to the user of a token. Rejects with upstream's message. */
  authenticate(token: string): Promise<User>
  /** Returns the reason why the issuer is not ready, in upstream's words. Undefined if it is. */
  fault(): string | undefined
}

/** Options shared by all issuers. */
export interface JwtOptions {
  readonly release: Release
  /** Allowed signature algorithms. */
  readonly algorithms: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly log: Logger
  readonly metrics: JwtMetrics
  /** Whether metrics report fetches of keys (gate StructuredAuthenticationConfigurationJWKSMetrics). */
  readonly observeKeys: boolean
  /** Creates the client of an issuer. Throws AuthenticationConfigError if its egress is not configured. */
  readonly clientFor: (issuer: IssuerConfiguration, signal: AbortSignal) => IssuerClient
}

/**
 * Creates an authenticator and starts to fetch the issuer's keys, with retries until the signal aborts: the issuer may
 * run on this server and start later.
 */
export function jwtAuthenticator(compiled: CompiledJwt, options: JwtOptions, signal: AbortSignal): JwtAuthenticator {
  const { release, algorithms, now, log, metrics } = options
  const { issuer, claimMappings } = compiled.configuration
  const client = options.clientFor(issuer, signal)
  const rules = { audiences: issuer.audiences, algorithms, release, now }
  const groups = claimMappings.groups.claim
  const failed = (url: string, error: unknown): void =>
    log.error('oidc authenticator: async token verifier for issuer', { issuer: url, error: errorMessage(error) })
  const resolver = groups === '' ? undefined : new ClaimResolver({ claim: groups, client, now, rules, signal, failed })
  let keys: KeySet | undefined
  let why = `oidc: authenticator for issuer ${quote(issuer.url)} is not initialized`
  const observeKeys = (body: Buffer | undefined): void => {
    if (options.observeKeys && !signal.aborted) metrics.keysFetched(issuer.url, body, now())
  }
  untilDone(
    async () => {
      keys = await discoverKeys(issuer.url, issuer.discoveryURL, { client, now, observeKeys })
    },
    error => {
      why = errorMessage(error)
      log.error('oidc authenticator: initializing plugin', { issuer: issuer.url, error: why })
    },
    signal,
  )
  return {
    issuer: issuer.url,
    fault: () => (keys ? undefined : `oidc: authenticator for issuer ${quote(issuer.url)} is not healthy: ${why}`),
    async authenticate(token) {
      if (keys === undefined) throw new Error('oidc: authenticator not initialized')
      const claims = await prefixed('oidc: verify token', verifyIdToken(token, { ...rules, issuer: issuer.url, keys }))
      const expanded = resolver ? await prefixed('oidc: could not expand distributed claims', resolver.expand(claims)) : claims
      return userOfClaims(expanded, compiled, release)
    },
  }
}

/** Prefixes the message of an error. */
async function prefixed<T>(words: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new Error(`${words}: ${errorMessage(error)}`)
  }
}
