import type { Authenticator, Identity } from '../../auth/authn/authenticator.ts'
import type { User } from '../../meta/context.ts'
import { unauthorizedError } from '../../meta/status.ts'
import type { AuthMetrics } from '../auth-metrics.ts'
import type { Filter } from './filter.ts'

/** Finds out who makes the request. Throws 401 where nobody knows, or the credentials are not valid. */
export const withAuthentication =
  (authenticator: Authenticator, metrics: Pick<AuthMetrics, 'authenticated'>): Filter =>
  ({ state: { exchange } }, next) => {
    const begun = performance.now()
    const identify = (identity: Identity): void => {
      metrics.authenticated(identity, begun)
      exchange.user = userOf(identity)
    }
    const found = authenticator({ headers: exchange.headers, socket: exchange.req.socket, path: exchange.info.path, request: exchange.req, warned: exchange })
    if (found instanceof Promise) return found.then(identify).then(next)
    identify(found)
    return next()
  }

/** Of a listener that asks for no credentials: all its requests are this user's. */
export const withUser =
  (user: User): Filter =>
  ({ state: { exchange } }, next) => {
    exchange.user = user
    return next()
  }

function userOf(identity: Identity): User {
  if (identity === undefined || identity === 'rejected') throw unauthorizedError()
  return identity
}
