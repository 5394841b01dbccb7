import type { Filter } from './filter.ts'

/**
 * Asks the client of one HTTP/2 request in so many to take another connection, and so perhaps another server behind a load balancer; what it has asked for is answered on this one.
 * `random`: from 0 to 1, without 1.
 */
export const withProbabilisticGoaway =
  (chance: number, random: () => number): Filter =>
  ({ state: { exchange } }, next) => {
    if (exchange.isHttp2 && random() < chance) exchange.leaveConnection()
    return next()
  }
