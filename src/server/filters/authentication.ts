import { ANONYMOUS, type Authenticator, type Identity, type ProofNotes } from '../../auth/authn/authenticator.ts'
import { after } from '../../lib/awaitable.ts'
import type { User } from '../../meta/context.ts'
import type { RequestNotes } from '../../meta/request-notes.ts'
import { unauthorizedError } from '../../meta/status.ts'
import type { WhyProof } from '../../meta/why.ts'
import { whyUser } from '../../why/request-record.ts'
import type { AuthMetrics } from '../metrics/auth-metrics.ts'
import type { Filter } from './filter.ts'

/** Authenticates the request. Throws 401 if no authenticator accepts its credentials, or one rejects them. */
export const withAuthentication =
  (authenticator: Authenticator, metrics: Pick<AuthMetrics, 'authenticated'>): Filter =>
  ({ state: { exchange } }, next) => {
    const begun = performance.now()
    const identify = (identity: Identity): Promise<void> => {
      metrics.authenticated(identity, begun)
      proof?.tell(identity)
      exchange.user = requireUser(identity)
      return next()
    }
    const { headers, req, why } = exchange
    const proof = why && new Proof(why)
    return after(authenticator({ headers, socket: req.socket, path: exchange.info.path, request: req, warned: exchange, proof }), identify)
  }

/** Assigns a fixed user to every request of a listener without authentication. */
export const withUser =
  (user: User): Filter =>
  ({ state: { exchange } }, next) => {
    exchange.user = user
    exchange.why?.note({ step: 'authenticated', user: whyUser(user), proof: { kind: 'insecure port' } })
    return next()
  }

/** Records the credential that a request presented, and why authenticators refused it. */
class Proof implements ProofNotes {
  readonly #why: RequestNotes
  #proof: WhyProof = { kind: 'none' }
  readonly #refusals: string[] = []

  constructor(why: RequestNotes) {
    this.#why = why
  }

  proved(proof: WhyProof): void {
    this.#proof = proof
  }

  refused(reason: string): void {
    this.#refusals.push(reason)
  }

  /** Records the result of the authentication: the user with the accepted credential, or each refusal. */
  tell(identity: Identity): void {
    const isKnown = identity !== undefined && identity !== 'rejected'
    for (const reason of this.#refusals) this.#why.note({ step: 'not authenticated', reason })
    if (isKnown)
      this.#why.note({ step: 'authenticated', user: whyUser(identity), proof: identity === ANONYMOUS ? { kind: 'none' } : this.#proof })
    else if (this.#refusals.length === 0) this.#why.note({ step: 'not authenticated', reason: NO_USER })
  }
}

const NO_USER = 'the credentials match no user, and anonymous requests are not allowed for this path'

function requireUser(identity: Identity): User {
  if (identity === undefined || identity === 'rejected') throw unauthorizedError()
  return identity
}
