import type { RequestMetrics } from '../request-metrics.ts'
import type { Filter } from './filter.ts'

/** Counts every request that was answered, with its latency and sizes, once it is over. One whose path is no request of any kind is not counted, nor one that another server has done, which counts it. */
export const withMetrics =
  (metrics: Pick<RequestMetrics, 'record'>): Filter =>
  async ({ state: { exchange } }, next) => {
    try {
      await next()
    } finally {
      if (exchange.isParsed && exchange.answered && !exchange.isDelegated) metrics.record(exchange)
    }
  }
