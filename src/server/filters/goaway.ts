import type { Filter } from './filter.ts'

/**
 * Asks the clients of some HTTP/2 requests to open another connection, which a load balancer may route to another
 * server. Open requests are completed on this connection. `chance`: share of requests. `random`: at least 0 and less
 * than 1.
 */
export const withProbabilisticGoaway =
  (chance: number, random: () => number): Filter =>
  ({ state: { exchange } }, next) => {
    if (exchange.isHttp2 && random() < chance) exchange.leaveConnection()
    return next()
  }
