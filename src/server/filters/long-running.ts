import type { HttpExchange } from '../http/http-exchange.ts'
import type { RequestMetrics } from '../metrics/request-metrics.ts'
import type { RequestsInProgress } from '../requests-in-progress.ts'
import type { Filter, Next } from './filter.ts'

type Gauges = Pick<RequestMetrics, 'running'>

/**
 * Counts the open long-running requests, and ends them when the server shuts down. Throws 503 from then on. Runs behind
 * all filters that may wait, so that no request gets past them after the others were ended.
 */
export const withLongRunning =
  (requests: RequestsInProgress, metrics: Gauges): Filter =>
  ({ state: { exchange } }, next) =>
    exchange.longRunning ? trackLongRunning(exchange, requests, metrics, next) : next()

async function trackLongRunning(exchange: HttpExchange, requests: RequestsInProgress, metrics: Gauges, next: Next): Promise<void> {
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
