import { type Impersonated, impersonateConstrained } from '../../auth/constrained-impersonation.ts'
import { asksImpersonation, impersonate } from '../../auth/impersonation.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import { PlainTextError } from '../../meta/plain-text-error.ts'
import type { HttpExchange } from '../exchange.ts'
import type { Filter } from './filter.ts'

/**
 * `constrained`: rights to impersonate may be for some requests alone (the gate ConstrainedImpersonation). `early`: before 1.35, who names no user to impersonate is told of a failure of the server, in plain
 * text.
 */
export type ImpersonationMode = 'early' | 'plain' | 'constrained'

const failure = (why: string): Error => new PlainTextError(500, why)

/** Makes the request that of the user whom its headers name, where its own user may impersonate that one. Throws 403, and for what no user is named with 400. */
export function withImpersonation(authorizer: Authorizer, mode: ImpersonationMode): Filter {
  const faceless = mode === 'early' ? failure : undefined
  const wanted = async ({ user, info, rawHeaders, signal }: HttpExchange): Promise<Impersonated> =>
    mode === 'constrained'
      ? impersonateConstrained(user, info, rawHeaders, authorizer, signal)
      : { user: await impersonate(user, rawHeaders, authorizer, signal, faceless) }
  return ({ state: { exchange } }, next) => {
    if (!asksImpersonation(exchange.headers)) return next()
    return wanted(exchange).then(({ user, constraint }) => {
      if (user !== exchange.user) exchange.auditing?.impersonates(user, constraint)
      exchange.user = user
      return next()
    })
  }
}
