import type { GroupResource } from '../api/meta/v1.types.ts'
import { parseInt64 } from '../lib/integer.ts'
import { isTrueParameter } from '../meta/boolean-parameter.ts'
import type { RequestInfo } from '../meta/context.ts'
import { durationPerSeat, seatsTimesDuration } from './seat-seconds.ts'

/** Seats that a request occupies, and for how long after its end. */
export interface WorkEstimate {
  /** Seats while it is served. */
  readonly initialSeats: number
  /** Seats afterwards, while watchers are notified of its changes. */
  readonly finalSeats: number
  /** Milliseconds for which the final seats are occupied. */
  readonly additionalLatencyMs: number
}

/** Returns the larger number of seats of the two phases. */
export const maxSeatsOf = ({ initialSeats, finalSeats }: WorkEstimate): number => Math.max(initialSeats, finalSeats)

/** The part of a request that its estimate depends on. */
export interface EstimatedRequest {
  readonly info: RequestInfo
  /** Query parameters of a list or watch. */
  readonly query: Pick<URLSearchParams, 'get'>
}

/** Sizes of resources, and gates, that estimates of lists depend on. */
export interface EstimateOptions {
  /**
   * Returns the number of stored objects of a resource. `stale` if they could not be counted, undefined if the resource
   * does not exist.
   */
  countOf(resource: GroupResource): number | 'stale' | undefined
  /**
   * Returns the average bytes of a resource's stored objects, or 0 if they are not known. If omitted, lists are
   * estimated by the number of their objects (the gate SizeBasedListCostEstimate is off).
   */
  readonly bytesOf?: ((resource: GroupResource) => number) | undefined
  /** Whether watches may begin with a list (the gate WatchList). */
  readonly watchList: boolean
  /** Whether lists of the latest state are served from the watch cache (the gate ConsistentListFromCache). */
  readonly consistentReadsFromCache: boolean
  /** Whether a watch without a version is estimated as a list. Upstream does so since 1.35. */
  readonly countsLegacyWatches: boolean
}

/** Seats of an ordinary request. Source: config.go of pkg/util/flowcontrol/request. */
const MIN_SEATS = 1
/** Limit for a list that is estimated by its number of objects, and for the events of a write. */
const MAX_SEATS = 10
/** Processed objects that cost one seat. */
const OBJECTS_PER_SEAT = 100
/** Maximum seats of a list that is estimated by its size. */
const MAX_SEATS_BY_SIZE = 100
/** Bytes in memory that cost one seat. */
const BYTES_PER_SEAT = 100_000
/** Maximum bytes of a cached list that are in memory at once: such lists are streamed. */
const MOST_BYTES_FROM_CACHE = 1_000_000
/** Maximum bytes of an object in etcd. */
const MOST_BYTES_OF_OBJECT = 1_500_000
/** Assumed number of objects that could not be counted, which yields the maximum. */
const COUNTLESS = 1_000_000_000
/** Watches whose events cost one seat for EVENT_MS. */
const WATCHES_PER_SEAT = 10
/** Cost of an event for ten watches, in milliseconds of a seat. */
const EVENT_MS = 5

/** Shared estimate of ordinary requests. */
const ONE_SEAT: WorkEstimate = { initialSeats: MIN_SEATS, finalSeats: 0, additionalLatencyMs: 0 }
/** Verbs of requests that cause events. */
const MUTATING: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete'])

/**
 * Reports whether the estimate depends on the number of watches: whether the request is a write that causes events.
 * Creating a token does not change its service account.
 */
export const makesEvents = ({ verb, resource, subresource }: RequestInfo): boolean =>
  MUTATING.has(verb) && !(resource === 'serviceaccounts' && subresource === 'token')

/**
 * Estimates the cost of a request: one seat, more for long lists and for writes that many watches receive. `most`:
 * maximum seats of a request in its priority level; 0 for no limit of its own. Source: pkg/util/flowcontrol/request in
 * k8s.io/apiserver.
 */
export function estimateWork(request: EstimatedRequest, watches: number, most: number, options: EstimateOptions): WorkEstimate {
  const { verb } = request.info
  if (verb === 'list' || (verb === 'watch' && options.watchList))
    return estimateList(request, cap(most, options.bytesOf ? MAX_SEATS_BY_SIZE : MAX_SEATS), options)
  return watches >= WATCHES_PER_SEAT ? estimateEvents(watches, cap(most, MAX_SEATS)) : ONE_SEAT
}

const cap = (most: number, highest: number): number => (most === 0 || most > highest ? highest : most)

const seats = (initialSeats: number): WorkEstimate =>
  initialSeats === MIN_SEATS ? ONE_SEAT : { initialSeats, finalSeats: 0, additionalLatencyMs: 0 }

/** Converts many seats for a short time to fewer seats for longer: wide requests delay others. */
function estimateEvents(watches: number, most: number): WorkEstimate {
  const wanted = Math.ceil(watches / WATCHES_PER_SEAT)
  const finalSeats = Math.min(wanted, most)
  return { initialSeats: MIN_SEATS, finalSeats, additionalLatencyMs: durationPerSeat(seatsTimesDuration(wanted, EVENT_MS), finalSeats) }
}

/**
 * Estimates a list, or the initial events of a watch. Invalid options get the maximum, because the request is refused
 * anyway.
 */
function estimateList({ info, query }: EstimatedRequest, most: number, options: EstimateOptions): WorkEstimate {
  const { bytesOf } = options
  // A list of a single object.
  if (info.name !== '' && !bytesOf) return ONE_SEAT
  const limit = parseLimit(query.get('limit'))
  // The request will be refused.
  if (limit === undefined || parseLimit(query.get('timeoutSeconds')) === undefined) return seats(most)
  if (info.verb === 'watch' && !beginsWithList(query, options)) return ONE_SEAT
  const stored = options.countOf(info)
  if (stored === undefined) return ONE_SEAT
  const fromCache = info.verb === 'watch' || !readsStore(query, limit, options)
  const isSelecting = (query.get('fieldSelector') ?? '') !== '' || (query.get('labelSelector') ?? '') !== ''
  const list: CountedList = { isSingle: info.name !== '', limit, fromCache, isSelecting }
  if (bytesOf)
    return seats(
      clampSeats(
        most,
        seatsBySize(list, stored === 'stale' ? COUNTLESS : stored, stored === 'stale' ? MOST_BYTES_OF_OBJECT : bytesOf(info)),
      ),
    )
  return stored === 'stale' ? seats(most) : seats(clampSeats(most, seatsByCount(list, stored)))
}

/** A list that is estimated. */
interface CountedList {
  /** Whether its field selector names a single object. */
  readonly isSingle: boolean
  /** 0 without a limit. */
  readonly limit: number
  /** Whether the watch cache serves the list. */
  readonly fromCache: boolean
  /** Whether the list has a label or field selector. */
  readonly isSelecting: boolean
}

const clampSeats = (most: number, wanted: number): number => Math.max(MIN_SEATS, Math.min(most, wanted))

const pageOf = ({ limit }: CountedList, stored: number): number => (limit > 0 && limit < stored ? limit : stored)

/**
 * Estimates by the objects that are processed: a read from the store with a selector decodes more objects than it
 * returns.
 */
function seatsByCount(list: CountedList, stored: number): number {
  const page = pageOf(list, stored)
  const processed = list.fromCache ? stored : list.isSelecting ? stored + page : 2 * page
  return Math.ceil(processed / OBJECTS_PER_SEAT)
}

/** Estimates by the bytes that are in memory at once. `bytes`: average size of an object. */
function seatsBySize(list: CountedList, stored: number, bytes: number): number {
  const page = pageOf(list, stored)
  const loaded = list.isSingle ? 1 : !list.fromCache && list.isSelecting ? Math.max(page, Math.floor(stored / 2)) : page
  const atOnce = loaded * (bytes > 0 || stored === 0 ? bytes : MOST_BYTES_OF_OBJECT)
  return Math.ceil((list.fromCache ? Math.min(atOnce, MOST_BYTES_FROM_CACHE) : atOnce) / BYTES_PER_SEAT)
}

/** Whether the watch begins with initial events, by its parameters. */
function beginsWithList(query: EstimatedRequest['query'], { countsLegacyWatches }: EstimateOptions): boolean {
  const resourceVersion = query.get('resourceVersion') ?? ''
  return isTrueParameter(query.get('sendInitialEvents')) || (countsLegacyWatches && (resourceVersion === '' || resourceVersion === '0'))
}

/** Reports whether kube-apiserver would read from etcd. Its estimate does not consider snapshots of the watch cache. */
function readsStore(query: EstimatedRequest['query'], limit: number, { consistentReadsFromCache }: EstimateOptions): boolean {
  const resourceVersion = query.get('resourceVersion') ?? ''
  switch (query.get('resourceVersionMatch') ?? '') {
    case 'NotOlderThan':
      return false
    case '':
      if ((query.get('continue') ?? '') !== '') return true
      if (limit > 0 && resourceVersion !== '' && resourceVersion !== '0') return true
      return resourceVersion === '' && !consistentReadsFromCache
    default:
      return true
  }
}

/** Parses an integer. Returns 0 if the text is empty, and undefined if it is invalid. */
function parseLimit(text: string | null): number | undefined {
  if (text === null || text === '') return 0
  const value = parseInt64(text)
  return value === undefined ? undefined : Number(value)
}
