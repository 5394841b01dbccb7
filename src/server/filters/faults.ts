import { type Faults, serveWithFaults } from '../../faults/strike.ts'
import type { HttpExchange } from '../http/http-exchange.ts'
import type { Filter } from './filter.ts'

/**
 * Applies the fault rules to requests. Runs behind all filters that may refuse or delay a request, so that a fault only
 * counts for requests that would be served.
 */
export const withFaults =
  (faults: Faults): Filter =>
  ({ state: { exchange } }, next) => {
    const barrier = exchange.info.isResource ? undefined : faults.rules.observer?.barrier?.(exchange.path)
    return barrier === undefined ? serveWithFaults(faults, exchange, next) : respondAfter(barrier, exchange)
  }

/** Responds to a request for a path at which a program waits for the observer. */
async function respondAfter(barrier: Promise<void>, exchange: HttpExchange): Promise<void> {
  await barrier
  await exchange.sendBytes(200, 'text/plain', Buffer.from('ok\n'))
}
