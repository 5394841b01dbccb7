import { USER_AGENT } from '../lib/user-agent.ts'
import { MASTERS } from '../meta/authorizer.ts'
import type { RequestAttributes, RequestContext, User } from '../meta/context.ts'
import { resourceAttributes } from '../meta/request-attributes.ts'

/** Whom the server is for itself (kube-apiserver's loopback client). */
export const SERVER_USER: User = { name: 'system:apiserver', groups: [MASTERS, 'system:authenticated'] }

/** The context of work that no client asked for. */
export function internalContext(info: Partial<RequestAttributes> & { verb: string }, signal: AbortSignal, now: number): RequestContext {
  return {
    user: SERVER_USER,
    signal,
    userAgent: USER_AGENT,
    receivedAt: now,
    warn: () => {},
    info: resourceAttributes(info),
  }
}
