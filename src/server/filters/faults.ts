import { type Faults, strike } from '../../faults/strike.ts'
import type { HttpExchange } from '../http/http-exchange.ts'
import type { Filter, Next } from './filter.ts'

/** Applies the fault rules to requests. Runs behind all filters that may refuse or delay a request, so that a fault only counts for requests that would be served. */
export const withFaults =
  (faults: Faults): Filter =>
  ({ state: { exchange } }, next) =>
    faults.rules.isEmpty ? next() : disturb(faults, exchange, next)

async function disturb(faults: Faults, exchange: HttpExchange, next: Next): Promise<void> {
  const { cut, webhookFault, disturb } = await strike(faults, exchange)
  if (cut === 'BeforeCommit') return exchange.destroy()
  if (cut === 'AfterCommit') exchange.withholdAnswer()
  exchange.webhookFault = webhookFault
  exchange.disturbed = disturb
  return next()
}
