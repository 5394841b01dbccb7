import type { Auditor } from '../../audit/auditor.ts'
import { RequestAudit } from '../../audit/request-audit.ts'
import { PlainTextError } from '../../meta/plain-text-error.ts'
import type { Filter, Next } from './filter.ts'

/**
 * Audits a request by the policy: writes an event for each stage. Throws a PlainTextError if the first event cannot be
 * written and the backend is strict.
 */
export const withAudit =
  (auditor: Auditor): Filter =>
  ({ state: { exchange } }, next) => {
    const event = auditor.begin(exchange, exchange.user)
    if (event === undefined) return next()
    for (const [key, value] of Object.entries(exchange.user.credentialNotes ?? {})) event.annotate(key, value)
    exchange.auditing = new RequestAudit(auditor, event)
    return auditRequest(exchange.auditing, next)
  }

async function auditRequest(audit: RequestAudit, next: Next): Promise<void> {
  if (!(await audit.received())) throw new PlainTextError(500, 'failed to store audit event')
  try {
    await next()
  } finally {
    await audit.ends()
  }
}

/**
 * Audits requests that fail before `withAudit`: those that cannot be authenticated, and those with an invalid timeout.
 * The response is their only event.
 */
export const withFailedRequestAudit =
  (auditor: Auditor): Filter =>
  ({ state: { exchange } }, next) =>
    next().catch((error: unknown) => {
      const event = exchange.auditing === undefined ? auditor.begin(exchange, undefined) : undefined
      if (event !== undefined) exchange.auditing = new RequestAudit(auditor, event, true)
      throw error
    })
