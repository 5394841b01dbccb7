import type { Timer, TimerClock } from '../../lib/clock.ts'
import type { BackendEvent } from '../backend.ts'
import { BackendError } from '../backend.ts'
import { reported } from '../corrupt.ts'
import { delay } from '../delay.ts'
import { abortedError, toStorageError } from '../errors.ts'
import { EventQueue } from '../event-queue.ts'
import { keyAfter, prefixEnd } from '../key-range.ts'
import { RecordedChange } from '../recorded-change.ts'
import type { Key, Revision } from '../revision.ts'
import { revision } from '../revision.ts'
import type { StorageEvent, StoredObject, Watcher, WatchQuery } from '../storage.ts'
import { StorageError } from '../storage.ts'
import { Stored } from '../stored-object.ts'
import type { StoreSource } from './source.ts'

/** Start of a watch, and its limits. */
export interface WatchFrom {
  /** Revision after which changes are delivered. */
  readonly after: Revision
  /** The state at `after`, delivered first as initial events. */
  readonly present?: readonly StoredObject[]
  /** Optional. Whether a bookmark ends the initial events. */
  readonly bookmarkAtEnd?: boolean
  readonly limits: WatchLimits
}

/** Bounds on the queue and time of a watch. */
export interface WatchLimits {
  /** Events that may wait for the watcher. */
  readonly queueLimit: number
  /** Bytes of events that may wait for the watcher. Undefined if they are not limited. */
  readonly queueBytes: number | undefined
  /** Milliseconds between bookmarks. */
  readonly bookmarkMs: number
  /** Clock of bookmarks and of the deadline. */
  readonly clock: TimerClock
  /** How long to wait for a watcher that does not keep up, in milliseconds. */
  readonly patienceMs: number
  /** Called when a watch is ended because its client did not keep up. */
  readonly onSlow: (() => void) | undefined
  /** Aborted when the resource is no longer served. */
  readonly removed: AbortSignal | undefined
}

/** Time between the last bookmark and a watcher's deadline, at least. */
const BEFORE_DEADLINE_MS = 2000

/** Opens a watch of the store. Resolves when the store has accepted it. */
export async function openWatch(
  source: StoreSource,
  prefix: Key,
  query: WatchQuery,
  from: WatchFrom,
  signal: AbortSignal,
): Promise<Watcher> {
  if (signal.aborted) throw abortedError(signal)
  const { limits } = from
  const stop = new AbortController()
  const onAbort = () => queue.close()
  signal.addEventListener('abort', onAbort, { once: true })
  const onRemoved = () => queue.finish()
  limits.removed?.addEventListener('abort', onRemoved, { once: true })
  const state: WatchState = { source, prefix, query, limits, seen: from.after, bookmarks: undefined }
  const queue = new EventQueue(
    limits.queueLimit,
    slow => {
      if (slow) limits.onSlow?.()
      stop.abort()
      state.bookmarks?.close()
      signal.removeEventListener('abort', onAbort)
      limits.removed?.removeEventListener('abort', onRemoved)
    },
    from.present && initialEvents(from.present, from.bookmarkAtEnd === true, from.after),
    limits.queueBytes,
  )
  if (limits.removed?.aborted) {
    onRemoved()
    return queue
  }
  await accepted(opened => queueEvents(queue, state, opened, stop.signal))
  // As in upstream, a watch that ends this soon gets no bookmark.
  if (query.bookmarks && untilLastBookmark(query, limits) >= 0 && !stop.signal.aborted) sendBookmarks(queue, state)
  return queue
}

/** State that the queue, the events and the bookmarks of a watch share. */
interface WatchState {
  readonly source: StoreSource
  readonly prefix: Key
  readonly query: WatchQuery
  readonly limits: WatchLimits
  /** The revision up to which the store has reported changes. */
  seen: Revision
  /** Timer of the next bookmark. */
  bookmarks: Timer | undefined
}

/** Resolves when the watch is open, and rejects if it ends before. */
async function accepted(begin: (opened: () => void) => Promise<void>): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      begin(resolve).catch(reject)
    })
  } catch (error) {
    throw toStorageError(error)
  }
}

/** Queues the store's events until either side ends. `opened` is called when the store has accepted the watch. */
async function queueEvents(queue: EventQueue, state: WatchState, opened: () => void, signal: AbortSignal): Promise<void> {
  const { source, prefix, query, limits } = state
  const watch = {
    start: prefix,
    end: prefix.endsWith('/') ? prefixEnd(prefix) : keyAfter(prefix),
    from: revision(state.seen + 1),
    previous: true,
    onOpen: opened,
  }
  try {
    for await (const batch of source.backend.watch(watch, signal)) {
      const events = batch.events.map(event => recordedChange(source, event).eventFor(query.predicate)).filter(event => event !== undefined)
      // The store buffers further changes. Without the wait, a watch from far back would be ended before its first
      // event is delivered, again and again.
      if (!queue.fits(events)) await taken(queue, limits.patienceMs)
      queue.push(events)
      state.seen = batch.revision
    }
    queue.finish()
    opened()
  } catch (error) {
    // If the store is lost, the watch ends without an error, as at its deadline, and the client resumes. Lost history
    // is an error.
    const lost = error instanceof BackendError && (error.code === 'unavailable' || error.code === 'timeout' || error.code === 'aborted')
    queue.finish(lost ? undefined : toStorageError(error))
    throw error
  }
}

/** Returns the milliseconds until the last bookmark of a watch; Infinity if its end is unknown. */
const untilLastBookmark = ({ deadline }: WatchQuery, { clock }: WatchLimits): number =>
  deadline === undefined ? Number.POSITIVE_INFINITY : deadline - BEFORE_DEADLINE_MS - clock.steady.now()

/**
 * Schedules one bookmark, which schedules the next. The last comes before the deadline of the watch. A full queue skips
 * one.
 */
function sendBookmarks(queue: EventQueue, state: WatchState): void {
  const { bookmarkMs, clock } = state.limits
  const left = Math.max(untilLastBookmark(state.query, state.limits), 0)
  const send = (): void => {
    const bookmark = [{ type: 'bookmark', revision: state.seen, initialEnd: false } as const]
    if (queue.fits(bookmark)) queue.push(bookmark)
    if (left > bookmarkMs) sendBookmarks(queue, state)
  }
  state.bookmarks = clock.after(Math.min(left, bookmarkMs), send)
}

/** Resolves when the watcher takes the queued events, or when the patience with it is over. */
async function taken(queue: EventQueue, patienceMs: number): Promise<void> {
  const over = new AbortController()
  await Promise.race([queue.whenTaken(), delay(patienceMs, over.signal).catch(() => {})])
  over.abort()
}

/**
 * Decodes an event and the object before it. Throws StorageError `expired` for a deletion whose previous object is
 * compacted, because the event could not be matched with selectors.
 */
function recordedChange({ codec, reports }: StoreSource, event: BackendEvent): RecordedChange {
  const { key, modRevision, value, previous } = event
  const read = (at: Revision, held: Buffer): Stored => {
    try {
      return Stored.read(key, at, codec, held)
    } catch (error) {
      throw reported(error, value === undefined ? reports.deletion : reports.event)
    }
  }
  const before = previous && read(previous.modRevision, previous.value)
  if (value === undefined) {
    if (before === undefined) throw new StorageError('expired', `what ${key} was before its deletion is compacted`, { key })
    return new RecordedChange(key, modRevision, undefined, before)
  }
  return new RecordedChange(key, modRevision, read(modRevision, value), before)
}

/** Events in one batch. They are encoded in one turn of the event loop. */
const MOST_EVENTS = 100

/**
 * Yields the present objects as `added` events, in batches. An undefined object ends the batch early, even if it is
 * empty, so that the caller can end its turn.
 */
export function* initialEvents(
  present: Iterable<StoredObject | undefined>,
  bookmarkAtEnd: boolean,
  at: Revision,
): Generator<readonly StorageEvent[], void, undefined> {
  let batch: StorageEvent[] = []
  for (const object of present) {
    if (object !== undefined) batch.push({ type: 'added', object, revision: object.revision })
    if (object === undefined || batch.length === MOST_EVENTS) {
      yield batch
      batch = []
    }
  }
  if (bookmarkAtEnd) batch.push({ type: 'bookmark', revision: at, initialEnd: true })
  if (batch.length > 0) yield batch
}
