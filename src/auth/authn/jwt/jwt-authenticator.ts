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

/** Believes the tokens of one issuer. */
export interface JwtAuthenticator {
  readonly issuer: string
  /** Whose token it is. Rejects with an Error in upstream's words. */
  authenticate(token: string): Promise<User>
  /** Why it believes none yet, in upstream's words; undefined: it is ready. */
  fault(): string | undefined
}

/** What all issuers share. */
export interface JwtOptions {
  readonly release: Release
  /** By which tokens may be signed. */
  readonly algorithms: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly log: Logger
  readonly metrics: JwtMetrics
  /** Whether metrics report when keys are fetched (the gate StructuredAuthenticationConfigurationJWKSMetrics). */
  readonly observeKeys: boolean
  /** How an issuer is asked. Throws AuthenticationConfigError where its way out of this server is not configured. */
  readonly clientFor: (issuer: IssuerConfiguration, signal: AbortSignal) => IssuerClient
}

/** Begins to ask for the issuer's keys, until the signal aborts: an issuer may run on this very server, and come later. */
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

async function prefixed<T>(words: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new Error(`${words}: ${errorMessage(error)}`)
  }
}
