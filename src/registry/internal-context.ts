import { USER_AGENT } from '../lib/user-agent.ts'
import { MASTERS } from '../meta/authorizer.ts'
import type { RequestAttributes, RequestContext, User } from '../meta/context.ts'
import { resourceAttributes } from '../meta/request-attributes.ts'

/** User of the server's own requests, as of kube-apiserver's loopback client. */
export const SERVER_USER: User = { name: 'system:apiserver', groups: [MASTERS, 'system:authenticated'] }

/** Returns the request context of the server's own work. Warnings are dropped. */
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
