import { type Impersonated, impersonateConstrained } from '../../auth/constrained-impersonation.ts'
import { asksImpersonation, impersonate } from '../../auth/impersonation.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import type { RequestAttributes } from '../../meta/context.ts'
import { PlainTextError } from '../../meta/plain-text-error.ts'
import type { RequestNotes } from '../../meta/request-notes.ts'
import { whyUser } from '../../why/request-record.ts'
import type { HttpExchange } from '../http/http-exchange.ts'
import type { Filter } from './filter.ts'

/**
 * Version of impersonation. `constrained`: permissions to impersonate may be limited to some requests (the gate
 * ConstrainedImpersonation). `early`: releases before 1.35, which respond with 500 in plain text to headers without a
 * user.
 */
export type ImpersonationMode = 'early' | 'plain' | 'constrained'

const impersonationError = (why: string): Error => new PlainTextError(500, why)

/**
 * Replaces the user of a request by the one that its headers name, if its own user may impersonate that one. Throws
 * 403, and 400 for headers without a user.
 */
export function withImpersonation(authorizer: Authorizer, mode: ImpersonationMode): Filter {
  const faceless = mode === 'early' ? impersonationError : undefined
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

/**
 * Returns an authorizer that records its decisions. The reasons of those that allow are appended to the list; the
 * others are noted.
 */
const noting = (authorizer: Authorizer, why: RequestNotes, allowedBy: string[]): Authorizer => ({
  async authorize(user, request, signal) {
    const decided = await authorizer.authorize(user, request, signal)
    const { decision, reason, by } = decided
    const basis = reason || by || decision
    if (decision === 'allow') allowedBy.push(`${impersonatedPart(request)}: ${basis}`)
    else why.note({ step: 'authorized', decision, reason, of: impersonatedPart(request), ...(by !== undefined && { by }) })
    return decided
  },
})

/** Returns the part of an impersonation that was authorized, such as `impersonate users jane`. */
const impersonatedPart = ({ verb, resource, subresource, namespace, name }: RequestAttributes): string =>
  `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`} ${namespace === '' ? '' : `${namespace}/`}${name}`
