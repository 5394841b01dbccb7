import type { SeatRequest } from '../../flow/queued-requests.ts'
import type { Logger } from '../../lib/log.ts'
import type { HttpExchange } from '../http/http-exchange.ts'
import type { Filter } from './filter.ts'

/** Logs a line for every request when it is over. */
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
    latency: latencyText(exchange.elapsed()),
    userAgent: exchange.userAgent,
    'audit-ID': exchange.auditId,
    user: exchange.user.name,
    ...(exchange.seats && fairnessOf(exchange.seats)),
    resp: exchange.status,
  })

/** Longer names are truncated, as in kube-apiserver. */
const MOST_OF_A_NAME = 64

/** Returns the log fields of priority and fairness. */
function fairnessOf({ arrival, startedAt, endedAt }: SeatRequest): Readonly<Record<string, unknown>> {
  const { flow, estimate, details } = arrival
  const executed = startedAt === undefined || endedAt === undefined ? undefined : latencyText(endedAt - startedAt)
  return {
    apf_pl: flow.level.slice(0, MOST_OF_A_NAME),
    apf_fs: flow.schema.slice(0, MOST_OF_A_NAME),
    apf_iseats: estimate.initialSeats,
    apf_fseats: estimate.finalSeats,
    apf_additionalLatency: latencyText(estimate.additionalLatencyMs),
    ...(executed !== undefined && details.info.verb === 'watch' && { apf_init_latency: executed }),
    ...(executed !== undefined && { apf_execution_time: executed }),
  }
}

const latencyText = (ms: number): string => `${ms.toFixed(1)}ms`
