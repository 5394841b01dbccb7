import type { FaultSpec } from '../../faults/fault-spec.ts'
import { matchesPatterns } from '../../faults/patterns.ts'
import { millisecondsOf } from '../../faults/rate.ts'
import type { RevisionTimes } from '../../faults/revision-times.ts'
import { type FaultRules, isBehind, isGone } from '../../faults/rules.ts'
import { disturbedWatch } from '../../faults/watch-fault.ts'
import { pause } from '../../lib/pause.ts'
import { detailsOf, expiredError, failure, type StatusError } from '../../meta/status.ts'
import type { HttpExchange } from '../http/http-exchange.ts'
import type { Filter, Next } from './filter.ts'

/** State and services that faults use. */
export interface Faults {
  readonly rules: FaultRules
  readonly times: RevisionTimes
  /** Replaces the holder of a Lease. Does nothing if the Lease does not exist. */
  takeLease(namespace: string, name: string): Promise<void>
}

/** Applies the fault rules to requests. Runs behind all filters that may refuse or delay a request, so that a fault only counts for requests that would be served. */
export const withFaults =
  (faults: Faults): Filter =>
  ({ state: { exchange } }, next) =>
    faults.rules.isEmpty ? next() : disturb(faults, exchange, next)

/** Applies the effects of the matching faults in the order that `FaultSpec` declares. */
async function disturb(faults: Faults, exchange: HttpExchange, next: Next): Promise<void> {
  const { info, query } = exchange
  const struck = faults.rules.strike(exchange, query)
  if (struck.length === 0) return next()
  exchange.why?.note({ step: 'fault', does: struck.flatMap(spec => Object.keys(spec).filter(name => name !== 'match' && name !== 'rate')) })
  for (const spec of struck) if (spec.delay !== undefined && !(await pause(millisecondsOf(spec.delay), exchange.signal, faults.rules.clock))) return next()
  for (const spec of struck) {
    if (spec.lease !== undefined) await faults.takeLease(info.namespace, info.name)
    if (spec.status !== undefined) throw faultStatus(spec.status, exchange)
    if (spec.cut === 'BeforeCommit') return exchange.destroy()
    if (spec.cut === 'AfterCommit') exchange.withholdAnswer()
    if (spec.gone === true && info.verb !== 'watch') throw expiredError('The resourceVersion for the provided list is too old.')
    if (spec.behind !== undefined && isBehind(spec, info.verb, query)) await lookBack(faults, spec.behind, query)
  }
  const down = struck.flatMap(({ webhooksDown = [] }) => webhooksDown)
  if (down.length > 0) exchange.webhookFault = name => (matchesPatterns(down, name) ? 'dial tcp: connect: connection refused' : undefined)
  if (info.verb === 'watch') {
    const gone = struck.some(spec => spec.gone === true && isGone(spec, 'watch', query))
    exchange.disturbed = watcher => disturbedWatch(watcher, struck, gone, faults.rules.clock)
  }
  return next()
}

/** Rewrites the query of a list so that it reads the revision of a time ago. The list is complete, as for any exact revision. */
async function lookBack({ times }: Faults, behind: string, query: URLSearchParams): Promise<void> {
  const revision = await times.ago(millisecondsOf(behind))
  if (revision === undefined) return
  query.set('resourceVersion', String(revision))
  query.set('resourceVersionMatch', 'Exact')
  query.delete('limit')
}

const REASONS: Readonly<Record<number, string>> = {
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

function faultStatus(
  { code, reason = REASONS[code] ?? '', message = 'an injected fault', retryAfterSeconds }: NonNullable<FaultSpec['status']>,
  { info }: HttpExchange,
): StatusError {
  const { group, resource, name } = info
  return failure(code, reason, message, { ...detailsOf({ group, resource }, name), ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) })
}
