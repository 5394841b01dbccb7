import type { RequestMetrics } from '../metrics/request-metrics.ts'
import type { Filter } from './filter.ts'

/**
 * Counts every request that got a response, with its latency and sizes, when it is over. Requests with an invalid path
 * are not counted, nor delegated ones, which the other server counts.
 */
export const withMetrics =
  (metrics: Pick<RequestMetrics, 'record'>): Filter =>
  async ({ state: { exchange } }, next) => {
    try {
      await next()
    } finally {
      if (exchange.isParsed && exchange.answered && !exchange.isDelegated) metrics.record(exchange)
    }
  }
