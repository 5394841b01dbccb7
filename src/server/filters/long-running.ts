import type { HttpExchange } from '../exchange.ts'
import type { RequestMetrics } from '../request-metrics.ts'
import type { RequestsInProgress } from '../requests-in-progress.ts'
import type { Filter, Next } from './filter.ts'

type Gauges = Pick<RequestMetrics, 'running'>

/**
 * Counts the long-running requests that are open, and ends them when the server shuts down; throws 503 from then on. It stands behind all that may wait, so that none gets past the moment at
 * which they are ended.
 */
export const withLongRunning =
  (requests: RequestsInProgress, metrics: Gauges): Filter =>
  ({ state: { exchange } }, next) =>
    exchange.longRunning ? follow(exchange, requests, metrics, next) : next()

async function follow(exchange: HttpExchange, requests: RequestsInProgress, metrics: Gauges, next: Next): Promise<void> {
  requests.addLongRunning(exchange)
  const gauge = metrics.running(exchange)
  gauge.value++
  try {
    await next()
  } finally {
    gauge.value--
    requests.deleteLongRunning(exchange)
  }
}
