import { asksImpersonation, impersonate } from '../../auth/impersonation.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import type { Filter } from './filter.ts'

/** Makes the request that of the user whom its headers name, where its own user may impersonate that one. Throws 403. */
export const withImpersonation =
  (authorizer: Authorizer): Filter =>
  ({ state: { exchange } }, next) => {
    if (!asksImpersonation(exchange.headers)) return next()
    return impersonate(exchange.user, exchange.rawHeaders, authorizer, exchange.signal).then(user => {
      if (user !== exchange.user) exchange.auditing?.impersonates(user)
      exchange.user = user
      return next()
    })
  }
