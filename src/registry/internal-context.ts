import type { RequestContext, RequestInfo, User } from '../meta/context.ts'

/** Whom the server is for itself (kube-apiserver's loopback client). */
export const SERVER_USER: User = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] }

/** The context of work that no client asked for. */
export function internalContext(info: Partial<RequestInfo> & { verb: string }, signal: AbortSignal, now: number): RequestContext {
  return {
    user: SERVER_USER,
    signal,
    userAgent: 'binnacle',
    receivedAt: now,
    warn: () => {},
    info: { path: '', isResource: true, apiPrefix: 'api', group: '', version: '', namespace: '', resource: '', subresource: '', name: '', parts: [], ...info },
  }
}
