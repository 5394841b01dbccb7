import { pause } from '../lib/pause.ts'
import type { RequestAttributes, User } from '../meta/context.ts'
import type { RequestNotes } from '../meta/request-notes.ts'
import { detailsOf, expiredError, failure, type StatusError } from '../meta/status.ts'
import type { Watcher } from '../storage/storage.ts'
import type { FaultSpec } from './fault-spec.ts'
import { matchesPatterns } from './patterns.ts'
import { millisecondsOf } from './rate.ts'
import type { RevisionTimes } from './revision-times.ts'
import { type FaultRules, isBehind, isGone } from './rules.ts'
import { disturbedWatch } from './watch-fault.ts'

/** State and services that faults use. */
export interface Faults {
  readonly rules: FaultRules
  readonly times: RevisionTimes
  /** Replaces the holder of a Lease. Does nothing if the Lease does not exist. */
  takeLease(namespace: string, name: string): Promise<void>
}

/** A request of a client, over HTTP or in the process. */
export interface StruckRequest {
  readonly user: User
  readonly userAgent: string
  readonly info: RequestAttributes
  /** Options of the request. A fault may change the version that a list reads. */
  readonly query: URLSearchParams
  readonly signal: AbortSignal
  readonly why?: RequestNotes | undefined
}

/** Effects that come while the request is served, or after it. */
export interface FaultEffects {
  /** The client gets no response: the request is not executed (`BeforeCommit`), or it is, and its response is withheld. */
  readonly cut?: 'BeforeCommit' | 'AfterCommit' | undefined
  /** Returns the error of a webhook that cannot be reached. */
  readonly webhookFault?: (webhook: string) => string | undefined
  /** Disturbs the watch that the request opens. */
  readonly disturb?: (watcher: Watcher) => Watcher
}

const NONE: FaultEffects = {}

/**
 * Applies the effects of the matching faults that come before the request is served, in the order that `FaultSpec` declares, and returns the others. Throws the StatusError that a
 * fault responds with.
 */
export async function strike(faults: Faults, request: StruckRequest): Promise<FaultEffects> {
  const { rules } = faults
  const { info, query, signal } = request
  const struck = rules.strike(request)
  if (struck.length === 0) return NONE
  request.why?.note({ step: 'fault', does: struck.flatMap(spec => Object.keys(spec).filter(name => name !== 'match' && name !== 'rate')) })
  for (const { delay } of struck) if (delay !== undefined && !(await pause(millisecondsOf(delay), signal, rules.clock))) return NONE
  let isWithheld = false
  for (const spec of struck) {
    if (spec.lease !== undefined) await faults.takeLease(info.namespace, info.name)
    const failure = failureOf(spec, info)
    if (failure && isWithheld) return { cut: 'BeforeCommit' }
    if (failure) throw failure
    if (spec.cut === 'BeforeCommit') return { cut: 'BeforeCommit' }
    if (spec.cut === 'AfterCommit') isWithheld = true
    if (spec.behind !== undefined && isBehind(spec, info.verb, query)) await lookBack(faults, spec.behind, query)
  }
  return { ...(isWithheld && { cut: 'AfterCommit' }), ...webhookEffect(struck), ...watchEffect(struck, request, rules) }
}

function webhookEffect(struck: readonly FaultSpec[]): Pick<FaultEffects, 'webhookFault'> {
  const down = struck.flatMap(({ webhooksDown = [] }) => webhooksDown)
  return down.length === 0 ? NONE : { webhookFault: name => (matchesPatterns(down, name) ? 'dial tcp: connect: connection refused' : undefined) }
}

function watchEffect(struck: readonly FaultSpec[], { info, query }: StruckRequest, { clock }: FaultRules): Pick<FaultEffects, 'disturb'> {
  if (info.verb !== 'watch') return NONE
  const gone = struck.some(spec => spec.gone === true && isGone(spec, 'watch', query))
  return { disturb: watcher => disturbedWatch(watcher, struck, gone, clock) }
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

/** The error that a fault responds with. Undefined if it does not. */
function failureOf({ status, gone }: FaultSpec, { group, resource, name, verb }: RequestAttributes): StatusError | undefined {
  if (status !== undefined) {
    const { code, reason = REASONS[code] ?? '', message = 'an injected fault', retryAfterSeconds } = status
    return failure(code, reason, message, { ...detailsOf({ group, resource }, name), ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) })
  }
  return gone === true && verb !== 'watch' ? expiredError('The resourceVersion for the provided list is too old.') : undefined
}
