import { type Impersonated, impersonateConstrained } from '../../auth/constrained-impersonation.ts'
import { asksImpersonation, impersonate } from '../../auth/impersonation.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import type { HttpExchange } from '../exchange.ts'
import type { Filter } from './filter.ts'

/** Makes the request that of the user whom its headers name, where its own user may impersonate that one. `constrained`: the gate ConstrainedImpersonation is on. Throws 403. */
export function withImpersonation(authorizer: Authorizer, constrained: boolean): Filter {
  const wanted = async ({ user, info, rawHeaders, signal }: HttpExchange): Promise<Impersonated> =>
    constrained ? impersonateConstrained(user, info, rawHeaders, authorizer, signal) : { user: await impersonate(user, rawHeaders, authorizer, signal) }
  return ({ state: { exchange } }, next) => {
    if (!asksImpersonation(exchange.headers)) return next()
    return wanted(exchange).then(({ user, constraint }) => {
      if (user !== exchange.user) exchange.auditing?.impersonates(user, constraint)
      exchange.user = user
      return next()
    })
  }
}
