import { type Awaitable, after } from '../../lib/awaitable.ts'
import type { User } from '../../meta/context.ts'
import type { TokenSource, WhyProof } from '../../meta/why.ts'
import { type Authenticator, authenticated, type ProofNotes } from './authenticator.ts'
import { untrustedClaims } from './compact-token.ts'
import { webSocketToken } from './web-socket-token.ts'

/** User of a token, and the requested audiences for which it is valid. */
export interface TokenIdentity {
  readonly user: User
  readonly audiences: readonly string[]
  /** Optional. Authenticator that accepted the token. */
  readonly source?: TokenSource | undefined
}

/** `undefined`: no user, or a token of another kind. `error`: a token of this kind that is invalid, with the reason. */
export type TokenResult = TokenIdentity | { readonly error: string } | undefined

/** Authenticates a token that must be valid for at least one of the audiences. */
export type TokenAuthenticator = (token: string, audiences: readonly string[]) => TokenResult | Promise<TokenResult>

/**
 * Tries authenticators in order. The first that returns a user wins; otherwise the first error is returned. Adds
 * system:authenticated.
 */
export function firstToken(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  const from = (index: number, token: string, audiences: readonly string[], failure: TokenResult): Awaitable<TokenResult> => {
    const authenticator = authenticators[index]
    if (authenticator === undefined) return failure
    return after(authenticator(token, audiences), answer =>
      answer && 'user' in answer ? authenticatedIdentity(answer) : from(index + 1, token, audiences, failure ?? answer),
    )
  }
  return (token, audiences) => from(0, token, audiences, undefined)
}

const authenticatedIdentity = ({ user, audiences, source }: TokenIdentity): TokenIdentity => ({
  user: authenticated(user),
  audiences,
  ...(source && { source }),
})

/** Token of `Bearer TOKEN`. Undefined for another scheme, or if more than one space precedes the token. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length < 8 || authorization.slice(0, 7).toLowerCase() !== 'bearer ') return undefined
  const [token = ''] = authorization.slice(7).split(' ', 1)
  return token === '' ? undefined : token
}

/** Matches a header whose token is ignored because of an extra space. */
const SPACED = /^bearer {2}/i
const SPACE_WARNING = 'the provided Authorization header contains extra space before the bearer token, and is ignored'

/**
 * Authenticates requests by bearer token, from the Authorization header or a WebSocket subprotocol. @param audiences
 * audiences of this server. @param refused called with the reason of a rejection, which clients do not see.
 */
export function bearerAuthenticator(
  tokens: TokenAuthenticator,
  audiences: readonly string[],
  refused: (why: string) => void = () => {},
): Authenticator {
  const userOf = (answer: TokenResult, token: string, proof: ProofNotes | undefined): User | 'rejected' => {
    if (answer && 'user' in answer) {
      proof?.proved(proofOf(answer, token))
      return answer.user
    }
    const why = answer?.error ?? 'invalid bearer token'
    refused(why)
    proof?.refused(why)
    return 'rejected'
  }
  return ({ headers, warned, proof }) => {
    const token = bearerToken(headers.authorization)
    if (token === undefined && SPACED.test(headers.authorization ?? '')) warned?.warn(SPACE_WARNING)
    const shown = token === undefined ? webSocketToken(headers) : { token }
    if (shown === undefined || shown === 'rejected') return shown
    return after(tokens(shown.token, audiences), answer => userOf(answer, shown.token, proof))
  }
}

/** Describes an accepted token for `why`. */
function proofOf({ source }: TokenIdentity, token: string): WhyProof {
  const { iss, exp } = untrustedClaims(token) ?? {}
  return {
    kind: 'token',
    ...(source && { source }),
    ...(typeof iss === 'string' && { issuer: iss }),
    ...(typeof exp === 'number' && Math.abs(exp) < 1e11 && { expires: new Date(exp * 1000).toISOString() }),
  }
}
