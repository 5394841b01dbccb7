import { pause } from '../lib/pause.ts'
import type { RequestAttributes, RequestContext } from '../meta/context.ts'
import type { RequestNotes } from '../meta/request-notes.ts'
import { detailsOf, expiredError, failure, StatusError } from '../meta/status.ts'
import type { Watcher } from '../storage/storage.ts'
import { eventFaults, eventOf } from './event-fault.ts'
import type { FaultSpec } from './fault-spec.ts'
import type { FaultableRequest } from './faultable-request.ts'
import type { ObservedRequest } from './observer.ts'
import { matchesPatterns } from './patterns.ts'
import { millisecondsOf } from './rate.ts'
import type { RevisionTimes } from './revision-times.ts'
import { type FaultRules, isBehind, isGone, resourceName } from './rules.ts'
import { disturbedWatch } from './watch-fault.ts'

/** State and services that faults use. */
export interface Faults {
  readonly rules: FaultRules
  /** Revisions by time, for reads of an earlier state. */
  readonly times: RevisionTimes
  /** Replaces the holder of a Lease. Does nothing if the Lease does not exist. */
  takeLease(namespace: string, name: string): Promise<void>
  /** Changes an annotation of an object, or deletes it. Does nothing if the object does not exist. */
  write(does: 'Changes' | 'Deletes', info: RequestAttributes): Promise<void>
}

/** A request of a client, over HTTP or in the process. */
export interface StruckRequest extends FaultableRequest {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Optional. Notes for `binnacle why`. */
  readonly why?: RequestNotes | undefined
  /** Status code of the response; 0 before it begins. */
  readonly status: number
  /** Set if webhooks are unreachable for this request. */
  webhookFault: RequestContext['webhookFault']
  /** Disturbs the watch that the request opens. */
  disturbed: ((watcher: Watcher) => Watcher) | undefined
  /** Ends the request without a response. */
  destroy(): void
  /** Withholds the response to the request, which is executed. */
  withholdResponse(): void
}

/** Serves a request as the fault rules say. `serve` is not called if a fault ends the request first. */
export const serveWithFaults = (faults: Faults, request: StruckRequest, serve: () => Promise<void>): Promise<void> =>
  faults.rules.isEmpty && faults.rules.observer === undefined ? serve() : follow(faults, request, serve)

/** Resources whose writes are no activity: leases are renewed all the time, and events only report. */
const REPORTS: readonly string[] = ['leases', 'events']

/** Verbs of requests that change nothing. */
const READS: readonly string[] = ['get', 'list', 'watch']

/** Reports the request to the observer, and whether it is in progress to the holds. */
async function follow(faults: Faults, request: StruckRequest, serve: () => Promise<void>): Promise<void> {
  const { rules } = faults
  const { info } = request
  const observed = info.isResource ? rules.observer?.request(request) : undefined
  if (observed === 'severed') return request.destroy()
  const isActive = info.isResource && !REPORTS.includes(info.resource) && (observed?.isActive === true || !READS.includes(info.verb))
  const end = isActive && info.verb !== 'watch' ? rules.holds.begin() : () => {}
  if (isActive && info.verb === 'watch') rules.holds.touch()
  let status = 0
  try {
    await disturb(faults, request, serve, observed, end)
    ;({ status } = request)
  } catch (error) {
    status = error instanceof StatusError ? error.code : 500
    throw error
  } finally {
    end()
    observed?.done(status)
  }
}

/**
 * Applies the effects of the matching faults in the order that `FaultSpec` declares. `pauses`: the request is not in
 * progress while it is held.
 */
async function disturb(
  faults: Faults,
  request: StruckRequest,
  serve: () => Promise<void>,
  observed: ObservedRequest | undefined,
  pauses: () => void,
): Promise<void> {
  const { info } = request
  const { rules } = faults
  if (rules.isReopening(request)) {
    pauses()
    await rules.holds.wait()
  }
  const struck = rules.strike(request)
  if (info.verb === 'watch') disturbWatch(faults, request, struck, observed)
  if (struck.length === 0) return serve()
  observed?.struck(struck)
  request.why?.note({ step: 'fault', does: struck.flatMap(spec => Object.keys(spec).filter(name => name !== 'match' && name !== 'rate')) })
  for (const spec of struck) {
    if (spec.delay !== undefined && !(await pause(millisecondsOf(spec.delay), request.signal, rules.clock))) return serve()
    if (spec.hold !== undefined && info.verb !== 'watch') {
      pauses()
      await rules.holds.wait()
    }
  }
  for (const spec of struck) if ((await strikeOne(faults, request, spec)) === 'ended') return
  const down = struck.flatMap(({ webhooksDown = [] }) => webhooksDown)
  if (down.length > 0) request.webhookFault = name => (matchesPatterns(down, name) ? 'dial tcp: connect: connection refused' : undefined)
  try {
    await serve()
  } finally {
    if (struck.some(({ restart }) => restart === 'AfterCommit')) rules.observer?.restart(request)
    // The object may be one that cannot be deleted.
    if (struck.some(({ writer, watch }) => writer === 'DeletesAtRest' && eventOf(watch) === undefined))
      void rules.holds.wait().then(() => faults.write('Deletes', info).catch(() => {}))
    if (struck.some(({ restart }) => restart === 'AtRest')) void rules.holds.wait().then(() => rules.observer?.restart(request))
  }
}

/** Applies one fault before the request is executed. Returns `ended` if the request gets no further. */
async function strikeOne(faults: Faults, request: StruckRequest, spec: FaultSpec): Promise<'ended' | undefined> {
  const { info, query } = request
  if (spec.lease !== undefined) await faults.takeLease(info.namespace, info.name)
  if ((spec.writer === 'Changes' || spec.writer === 'Deletes') && eventOf(spec.watch) === undefined) await faults.write(spec.writer, info)
  if (spec.restart === 'BeforeCommit') {
    faults.rules.observer?.restart(request)
    request.destroy()
    return 'ended'
  }
  if (spec.status !== undefined) throw faultStatus(spec.status, request)
  if (spec.cut === 'BeforeCommit') {
    request.destroy()
    return 'ended'
  }
  if (spec.cut === 'AfterCommit' || spec.restart === 'AfterCommit') request.withholdResponse()
  if (spec.gone === true && info.verb !== 'watch') throw expiredError('The resourceVersion for the provided list is too old.')
  if (spec.behind !== undefined && isBehind(spec, info.verb, query)) readAt(query, await faults.times.ago(millisecondsOf(spec.behind)))
  if (spec.behindChanges !== undefined && isBehind(spec, info.verb, query))
    readAt(query, faults.rules.staleRevision(request, spec.behindChanges))
  return undefined
}

/** Applies the faults to a watch when it opens. */
function disturbWatch(faults: Faults, request: StruckRequest, struck: readonly FaultSpec[], observed: ObservedRequest | undefined): void {
  const { rules } = faults
  const { info, query } = request
  const isHeld = rules.isStaleStart(request) || struck.some(({ hold }) => hold !== undefined)
  if (struck.length === 0 && observed === undefined && !isHeld && !rules.countsChanges) return
  const gone = struck.some(spec => spec.gone === true && isGone(spec, 'watch', query))
  const resource = resourceName(info)
  request.disturbed = watcher => {
    observed?.opened(() => watcher.close())
    const reporting = {
      searches: rules.searches(struck),
      holds: rules.holds,
      observed,
      isHeld,
      changed: (revision: number) => rules.changed(resource, revision),
      // The object may be one that cannot be deleted.
      remove: (namespace: string, name: string) => faults.write('Deletes', { ...info, namespace, name }).catch(() => {}),
    }
    return eventFaults(disturbedWatch(watcher, struck, gone, rules.clock), reporting)
  }
}

/**
 * Rewrites the query of a list so that it reads an earlier revision, if there is one. The list is complete, as for any
 * exact revision.
 */
function readAt(query: URLSearchParams, revision: number | undefined): void {
  if (revision === undefined) return
  query.set('resourceVersion', String(revision))
  query.set('resourceVersionMatch', 'Exact')
  query.delete('limit')
}

/** Default reason of each code. */
const REASONS: Readonly<Record<number, string>> = {
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** Returns the error of a fault, with the details that a real one has. */
function faultStatus(
  { code, reason = REASONS[code] ?? '', message = 'an injected fault', retryAfterSeconds }: NonNullable<FaultSpec['status']>,
  { info }: StruckRequest,
): StatusError {
  const { group, resource, name } = info
  return failure(code, reason, message, {
    ...detailsOf({ group, resource }, name),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}
