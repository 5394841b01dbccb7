import type { Aggregator } from '../aggregator.ts'
import type { ApiFilter } from './filter.ts'

/** Proxies requests to aggregated servers. */
export const withAggregation =
  (aggregator: Pick<Aggregator, 'serve'>): ApiFilter =>
  ({ state: { exchange } }, next) =>
    aggregator.serve(exchange) ?? next()
