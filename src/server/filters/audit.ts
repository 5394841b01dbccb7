import type { Auditor } from '../../audit/auditor.ts'
import { RequestAudit } from '../../audit/request-audit.ts'
import { PlainTextError } from '../../meta/plain-text-error.ts'
import type { Filter, Next } from './filter.ts'

/** Audits a request as the policy says: its events are written as it goes on. Throws a PlainTextError where the first can't be written, and that is to fail the request. */
export const withAudit =
  (auditor: Auditor): Filter =>
  ({ state: { exchange } }, next) => {
    const event = auditor.begin(exchange, exchange.user)
    if (event === undefined) return next()
    for (const [key, value] of Object.entries(exchange.user.credentialNotes ?? {})) event.annotate(key, value)
    exchange.auditing = new RequestAudit(auditor, event)
    return follow(exchange.auditing, next)
  }

async function follow(audit: RequestAudit, next: Next): Promise<void> {
  if (!(await audit.received())) throw new PlainTextError(500, 'failed to store audit event')
  try {
    await next()
  } finally {
    await audit.ends()
  }
}

/** Audits what fails before it gets to `withAudit`: requests of which nobody knows who makes them, and those whose timeout can't be read. The answer is their only event. */
export const withFailedRequestAudit =
  (auditor: Auditor): Filter =>
  ({ state: { exchange } }, next) =>
    next().catch((error: unknown) => {
      const event = exchange.auditing === undefined ? auditor.begin(exchange, undefined) : undefined
      if (event !== undefined) exchange.auditing = new RequestAudit(auditor, event, true)
      throw error
    })
