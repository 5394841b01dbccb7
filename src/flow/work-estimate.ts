import { parseInt64 } from '../lib/integer.ts'
import type { RequestInfo } from '../meta/context.ts'
import type { GroupResource } from '../meta/gvk.ts'
import { durationPerSeat, seatsTimesDuration } from './seat-seconds.ts'

/** How wide a request is, and for how long after its end. */
export interface WorkEstimate {
  /** While it is served. */
  readonly initialSeats: number
  /** Afterwards, while its consequences are worked on. */
  readonly finalSeats: number
  readonly additionalLatencyMs: number
}

/** The wider of its phases. */
export const maxSeatsOf = ({ initialSeats, finalSeats }: WorkEstimate): number => Math.max(initialSeats, finalSeats)

/** What is read of a request. */
export interface EstimatedRequest {
  readonly info: RequestInfo
  readonly query: Pick<URLSearchParams, 'get'>
}

export interface EstimateOptions {
  /** Stored objects of a resource; `stale`: they could not be counted; undefined: there is no such resource here. */
  countOf(resource: GroupResource): number | 'stale' | undefined
  /** Bytes of a stored object of a resource, on average; 0: nobody knows. Absent: lists cost by their objects, whatever their size (the gate SizeBasedListCostEstimate). */
  readonly bytesOf?: ((resource: GroupResource) => number) | undefined
  /** The gate WatchList: a watch may begin with a list. */
  readonly watchList: boolean
  /** The gate ConsistentListFromCache: lists of the latest state come from memory. */
  readonly consistentReadsFromCache: boolean
  /** Watches without a version begin with a list, too; upstream knows it since 1.35. */
  readonly countsLegacyWatches: boolean
}

const MIN_SEATS = 1
const MAX_SEATS = 10
const OBJECTS_PER_SEAT = 100
/** Of a list that costs by its size. */
const MAX_SEATS_BY_SIZE = 100
const BYTES_PER_SEAT = 100_000
/** What lists from memory have there at once: they are sent as they are made. */
const MOST_BYTES_FROM_CACHE = 1_000_000
/** What etcd takes. */
const MOST_BYTES_OF_OBJECT = 1_500_000
const COUNTLESS = 1_000_000_000
const WATCHES_PER_SEAT = 10
/** What an event costs for ten watches, in milliseconds of a seat. */
const EVENT_MS = 5

const ONE_SEAT: WorkEstimate = { initialSeats: MIN_SEATS, finalSeats: 0, additionalLatencyMs: 0 }
const MUTATING: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete'])

/** Whether `watchesOf` has a say in the estimate: a write that makes events. A token is made of an account, which does not change. */
export const makesEvents = ({ verb, resource, subresource }: RequestInfo): boolean =>
  MUTATING.has(verb) && !(resource === 'serviceaccounts' && subresource === 'token')

/**
 * What a request costs: one seat, more for long lists, and for writes that many watches receive. `most`: seats that the priority level has for one request; 0: it does not say.
 * Source: pkg/util/flowcontrol/request in k8s.io/apiserver.
 */
export function estimateWork(request: EstimatedRequest, watches: number, most: number, options: EstimateOptions): WorkEstimate {
  const { verb } = request.info
  if (verb === 'list' || (verb === 'watch' && options.watchList))
    return estimateList(request, cap(most, options.bytesOf ? MAX_SEATS_BY_SIZE : MAX_SEATS), options)
  return watches >= WATCHES_PER_SEAT ? estimateEvents(watches, cap(most, MAX_SEATS)) : ONE_SEAT
}

const cap = (most: number, highest: number): number => (most === 0 || most > highest ? highest : most)

const seats = (initialSeats: number): WorkEstimate => (initialSeats === MIN_SEATS ? ONE_SEAT : { initialSeats, finalSeats: 0, additionalLatencyMs: 0 })

/** The work of many seats for a moment becomes that of few for longer: wide requests keep others waiting. */
function estimateEvents(watches: number, most: number): WorkEstimate {
  const wanted = Math.ceil(watches / WATCHES_PER_SEAT)
  const finalSeats = Math.min(wanted, most)
  return { initialSeats: MIN_SEATS, finalSeats, additionalLatencyMs: durationPerSeat(seatsTimesDuration(wanted, EVENT_MS), finalSeats) }
}

function estimateList({ info, query }: EstimatedRequest, most: number, options: EstimateOptions): WorkEstimate {
  const { bytesOf } = options
  // Of one object: read as it is.
  if (info.name !== '' && !bytesOf) return ONE_SEAT
  const limit = numberOf(query.get('limit'))
  // It will be refused.
  if (limit === undefined || numberOf(query.get('timeoutSeconds')) === undefined) return seats(most)
  if (info.verb === 'watch' && !beginsWithList(query, options)) return ONE_SEAT
  const stored = options.countOf(info)
  if (stored === undefined) return ONE_SEAT
  const fromCache = info.verb === 'watch' || !readsStore(query, limit, options)
  const isSelecting = (query.get('fieldSelector') ?? '') !== '' || (query.get('labelSelector') ?? '') !== ''
  const list: CountedList = { isSingle: info.name !== '', limit, fromCache, isSelecting }
  if (bytesOf) return seats(within(most, seatsBySize(list, stored === 'stale' ? COUNTLESS : stored, stored === 'stale' ? MOST_BYTES_OF_OBJECT : bytesOf(info))))
  return stored === 'stale' ? seats(most) : seats(within(most, seatsByCount(list, stored)))
}

/** What a list costs by. */
interface CountedList {
  /** Of the object that its field selector names. */
  readonly isSingle: boolean
  /** 0: there is none. */
  readonly limit: number
  readonly fromCache: boolean
  readonly isSelecting: boolean
}

const within = (most: number, wanted: number): number => Math.max(MIN_SEATS, Math.min(most, wanted))

const pageOf = ({ limit }: CountedList, stored: number): number => (limit > 0 && limit < stored ? limit : stored)

function seatsByCount(list: CountedList, stored: number): number {
  const page = pageOf(list, stored)
  const processed = list.fromCache ? stored : list.isSelecting ? stored + page : 2 * page
  return Math.ceil(processed / OBJECTS_PER_SEAT)
}

/** By what is in memory at once. `bytes`: of an object, on average. */
function seatsBySize(list: CountedList, stored: number, bytes: number): number {
  const page = pageOf(list, stored)
  const loaded = list.isSingle ? 1 : !list.fromCache && list.isSelecting ? Math.max(page, Math.floor(stored / 2)) : page
  const atOnce = loaded * (bytes > 0 || stored === 0 ? bytes : MOST_BYTES_OF_OBJECT)
  return Math.ceil((list.fromCache ? Math.min(atOnce, MOST_BYTES_FROM_CACHE) : atOnce) / BYTES_PER_SEAT)
}

function beginsWithList(query: EstimatedRequest['query'], { countsLegacyWatches }: EstimateOptions): boolean {
  const resourceVersion = query.get('resourceVersion') ?? ''
  return isTrue(query.get('sendInitialEvents')) || (countsLegacyWatches && (resourceVersion === '' || resourceVersion === '0'))
}

/** Whether kube-apiserver would ask etcd: it has no snapshots of the past for this estimate. */
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

/** 0 where there is none; undefined where it is no number. */
function numberOf(text: string | null): number | undefined {
  if (text === null || text === '') return 0
  const value = parseInt64(text)
  return value === undefined ? undefined : Number(value)
}

const isTrue = (value: string | null): boolean => value !== null && !/^(?:false|0)$/i.test(value)
