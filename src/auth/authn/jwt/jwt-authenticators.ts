import { aggregate } from '../../../lib/aggregate.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { commonAudiences } from '../common-audiences.ts'
import type { TokenAuthenticator, TokenResult } from '../token.ts'
import { type JwtAuthenticator, type JwtOptions, jwtAuthenticator } from './jwt-authenticator.ts'
import { untrustedIssuer } from './untrusted-issuer.ts'
import type { CompiledJwt } from './validation.ts'

/** Authenticators of all issuers of one configuration. */
export interface JwtAuthenticators {
  readonly authenticate: TokenAuthenticator
  readonly issuers: readonly string[]
  /** Returns the reason why some issuers are not ready, in upstream's words. Undefined if all are. */
  fault(): string | undefined
  /** Stops fetching keys and closes connections. */
  close(): void
}

/**
 * Creates the authenticators. @param serverAudiences audiences of this server. Every accepted token is valid for them;
 * its own audiences only matter between issuer and configuration.
 */
export function jwtAuthenticators(
  compiled: readonly CompiledJwt[],
  serverAudiences: readonly string[],
  options: JwtOptions,
): JwtAuthenticators {
  const ended = new AbortController()
  const made = makeAll(compiled, options, ended)
  const byIssuer = new Map(made.map(authenticator => [authenticator.issuer, authenticator]))
  const authenticate = async (authenticator: JwtAuthenticator, token: string, audiences: readonly string[]): Promise<TokenResult> => {
    const begun = performance.now()
    const done = (result: 'success' | 'failure'): void =>
      options.metrics.authenticated(authenticator.issuer, result, (performance.now() - begun) / 1000)
    try {
      const user = await authenticator.authenticate(token)
      done('success')
      return { user, audiences, source: 'issuer' }
    } catch (error) {
      done('failure')
      return { error: errorMessage(error) }
    }
  }
  return {
    issuers: [...byIssuer.keys()],
    fault() {
      const faults = made.flatMap(authenticator => authenticator.fault() ?? [])
      return faults.length === 0 ? undefined : aggregate(faults)
    },
    close: () => ended.abort(),
    authenticate(token, audiences) {
      if (byIssuer.size === 0) return undefined
      const meant = commonAudiences(audiences, serverAudiences)
      if (meant.length === 0 && audiences.length > 0) return undefined
      const issuer = untrustedIssuer(token)
      const authenticator = issuer === undefined ? undefined : byIssuer.get(issuer)
      return authenticator && authenticate(authenticator, token, meant)
    },
  }
}

/** Creates the authenticators of all issuers. Closes them again if one fails. */
function makeAll(compiled: readonly CompiledJwt[], options: JwtOptions, ended: AbortController): readonly JwtAuthenticator[] {
  try {
    return compiled.map(each => jwtAuthenticator(each, options, ended.signal))
  } catch (error) {
    ended.abort()
    throw error
  }
}
