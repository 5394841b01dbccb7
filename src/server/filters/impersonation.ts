import { type Impersonated, impersonateConstrained } from '../../auth/constrained-impersonation.ts'
import { asksImpersonation, impersonate } from '../../auth/impersonation.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import type { RequestAttributes } from '../../meta/context.ts'
import { PlainTextError } from '../../meta/plain-text-error.ts'
import type { RequestNotes } from '../../meta/request-notes.ts'
import { whyUser } from '../../why/request-record.ts'
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
  const wanted = async ({ user, info, rawHeaders, signal }: HttpExchange, asked: Authorizer): Promise<Impersonated> =>
    mode === 'constrained'
      ? impersonateConstrained(user, info, rawHeaders, asked, signal)
      : { user: await impersonate(user, rawHeaders, asked, signal, faceless) }
  return ({ state: { exchange } }, next) => {
    if (!asksImpersonation(exchange.headers)) return next()
    const { why } = exchange
    const allowedBy: string[] = []
    return wanted(exchange, why ? noting(authorizer, why, allowedBy) : authorizer).then(({ user, constraint }) => {
      if (user !== exchange.user) exchange.auditing?.impersonates(user, constraint)
      if (user !== exchange.user) why?.note({ step: 'impersonated', user: whyUser(user), allowedBy })
      exchange.user = user
      return next()
    })
  }
}

/** The same authorizer. Why it allows goes into the list, and what it does not allow is taken down. */
const noting = (authorizer: Authorizer, why: RequestNotes, allowedBy: string[]): Authorizer => ({
  async authorize(user, request, signal) {
    const decided = await authorizer.authorize(user, request, signal)
    const { decision, reason, by } = decided
    const basis = reason || by || decision
    if (decision === 'allow') allowedBy.push(`${partOf(request)}: ${basis}`)
    else why.note({ step: 'authorized', decision, reason, of: partOf(request), ...(by !== undefined && { by }) })
    return decided
  },
})

const partOf = ({ verb, resource, subresource, namespace, name }: RequestAttributes): string =>
  `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`} ${namespace === '' ? '' : `${namespace}/`}${name}`
