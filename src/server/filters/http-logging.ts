import type { Logger } from '../../lib/log.ts'
import type { HttpExchange } from '../exchange.ts'
import type { Filter } from './filter.ts'

/** Logs a line for every request, once it is over. */
export const withHttpLogging =
  (log: Logger): Filter =>
  async ({ state: { exchange } }, next) => {
    try {
      await next()
    } finally {
      logRequest(log, exchange)
    }
  }

const logRequest = (log: Logger, exchange: HttpExchange): void =>
  log.info('HTTP', {
    verb: exchange.isParsed ? exchange.info.verb : '',
    URI: exchange.req.url ?? '/',
    latency: `${exchange.elapsed().toFixed(1)}ms`,
    userAgent: exchange.userAgent,
    'audit-ID': exchange.auditId,
    user: exchange.user.name,
    resp: exchange.status,
  })
