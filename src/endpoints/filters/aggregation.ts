import type { Aggregator } from '../aggregator.ts'
import type { ApiFilter } from './filter.ts'

/** Passes on what other servers serve. */
export const withAggregation =
  (aggregator: Pick<Aggregator, 'serve'>): ApiFilter =>
  ({ state: { exchange } }, next) =>
    aggregator.serve(exchange) ?? next()
