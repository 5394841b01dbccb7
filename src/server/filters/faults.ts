import { type Faults, serveWithFaults } from '../../faults/strike.ts'
import type { Filter } from './filter.ts'

/** Applies the fault rules to requests. Runs behind all filters that may refuse or delay a request, so that a fault only counts for requests that would be served. */
export const withFaults =
  (faults: Faults): Filter =>
  ({ state: { exchange } }, next) =>
    serveWithFaults(faults, exchange, next)
