import { onAbort } from '../../lib/on-abort.ts'
import { nextTurn } from '../../lib/turn.ts'
import type { BackendBatch, BackendEvent, BackendWatch, KeyValue } from '../backend.ts'
import { BackendError } from '../backend.ts'
import { type Key, type Revision, revisionAfter, revisionBefore } from '../revision.ts'
import type { Tables } from './environment.ts'
import { copyOf, DELETION_RECORD, decodeKey, decodeRecord, numberBytes } from './layout.ts'
import { changeAt } from './reader.ts'
import type { CommittedChange } from './writer.ts'

/** Limits of a batch read from the log, in events and bytes. */
const BATCH_EVENTS = 500
const BATCH_BYTES = 4 << 20
/** Number of changes to other keys that are skipped for one batch. */
const PASSED_OVER = 2000
/** Number of queued events per watcher. Beyond it the watcher returns to reading the log. */
const QUEUE_BOUND = 10_000

/** State of one watch. */
interface Watcher {
  readonly watch: BackendWatch
  /** The first revision that is neither queued nor delivered. */
  next: Revision
  /** Whether commits are queued for the watcher. Otherwise it reads the log. */
  live: boolean
  /** Events that were committed since the last batch. */
  queue: BackendEvent[]
  /** Ends the wait of the watch's generator. Undefined while it does not wait. */
  wake: (() => void) | undefined
}

/** The state that watches follow. */
export interface WatchSource {
  readonly tables: Tables
  /** Returns the newest revision that is on disk and announced. */
  revision(): Revision
  /** Returns the oldest revision that can still be read. */
  compacted(): Revision
}

/** The watches of a store. */
export interface Watchers {
  /**
   * Watches a range from a revision on. Throws BackendError `compacted` if the revision is no longer in the log, and
   * `unavailable` when the store closes. Ends when the signal aborts.
   */
  watch(watch: BackendWatch, signal: AbortSignal): AsyncGenerator<BackendBatch, void, undefined>
  /**
   * Delivers a group of consecutive revisions, which follow the last group. Called when `source.revision()` already
   * returns the new one.
   */
  publish(changes: readonly CommittedChange[], revision: Revision): void
  /** Wakes all watches, which then fail with BackendError `unavailable`. */
  close(): void
}

/**
 * Creates the watches of a store: they read the log until they have caught up, and then receive commits as they happen,
 * without a gap.
 */
export function openWatchers(source: WatchSource): Watchers {
  const watchers = new Set<Watcher>()
  let closed = false

  /**
   * Yields batches in the order of revisions, without a gap between the log and live commits. Throws BackendError
   * `compacted` if history is missing.
   */
  async function* watch(query: BackendWatch, signal: AbortSignal): AsyncGenerator<BackendBatch, void, undefined> {
    const watcher: Watcher = { watch: query, next: query.from || revisionAfter(source.revision()), live: false, queue: [], wake: undefined }
    const forget = onAbort(signal, () => watcher.wake?.())
    watchers.add(watcher)
    /** The first revision that was not delivered. */
    let due = watcher.next
    let opened = false
    try {
      while (!signal.aborted) {
        if (closed) throw new BackendError('unavailable', 'the store is closed')
        if (!watcher.live) watcher.live = isCaughtUp(source, watcher.next)
        if (!opened) {
          opened = true
          query.onOpen?.()
        }
        if (!watcher.live) {
          const batch = readLog(source, query, watcher.next)
          due = watcher.next = revisionAfter(batch.revision)
          yield batch
          // A long history must not block the event loop.
          await nextTurn()
        } else if (watcher.next > due) {
          const events = watcher.queue
          watcher.queue = []
          due = watcher.next
          yield { events, revision: revisionBefore(due) }
        } else {
          await untilWoken(watcher)
          watcher.wake = undefined
        }
      }
    } finally {
      watchers.delete(watcher)
      forget()
    }
  }

  return {
    watch,
    publish(changes, revision) {
      const group: PublishedGroup = { tables: source.tables, changes, revision, full: [] }
      for (const watcher of watchers) if (watcher.live && watcher.next <= revision) enqueue(watcher, group)
    },
    close() {
      closed = true
      for (const watcher of watchers) watcher.wake?.()
    },
  }
}

/**
 * Reports whether a watcher whose next revision is given has read the whole log. Throws BackendError `compacted` if the
 * log no longer has that revision.
 */
function isCaughtUp(source: WatchSource, next: Revision): boolean {
  if (next > source.revision()) return true
  if (next < source.compacted())
    throw new BackendError('compacted', `revision ${next} is compacted`, { compactRevision: source.compacted() })
  return false
}

/** Resolves when the watcher is woken: by a commit, by the end of its watch or by that of the store. */
const untilWoken = (watcher: Watcher): Promise<void> =>
  new Promise(resolve => {
    watcher.wake = resolve
  })

/** A group of consecutive revisions that is delivered to all watchers. */
interface PublishedGroup {
  readonly tables: Tables
  readonly changes: readonly CommittedChange[]
  /** The last revision of the group. */
  readonly revision: Revision
  /** Events with the previous value, by the index of their change. Each is read for the first watcher that wants it. */
  readonly full: BackendEvent[]
}

/** Queues the changes that a live watcher covers, and wakes it. A watcher that is too slow returns to the log. */
function enqueue(watcher: Watcher, { tables, changes, revision, full }: PublishedGroup): void {
  changes.forEach(({ event, replaced }, i) => {
    if (event.modRevision < watcher.next || !watchCovers(watcher.watch, event.key)) return
    if (watcher.watch.previous && replaced !== 0) full[i] ??= withPrevious(tables, event, replaced)
    watcher.queue.push((watcher.watch.previous && full[i]) || event)
  })
  const [first] = watcher.queue
  if (first !== undefined && watcher.queue.length > QUEUE_BOUND) {
    // The watcher returns to the log, from the first revision that was not delivered.
    watcher.next = first.modRevision
    watcher.queue = []
    watcher.live = false
  } else watcher.next = revisionAfter(revision)
  watcher.wake?.()
}

/** Adds the previous value to an event, unless it has been compacted. */
function withPrevious(tables: Tables, event: BackendEvent, replaced: Revision): BackendEvent {
  const previous = changeAt(tables, event.key, replaced)
  return previous ? { ...event, previous } : event
}

/**
 * Whether a range includes a key. UTF-16 order equals UTF-8 order except beyond U+FFFF, where `atLeast` compares bytes.
 */
function watchCovers(watch: BackendWatch, key: Key): boolean {
  return atLeast(key, watch.start) && (watch.end === '\0' || !atLeast(key, watch.end))
}

/** Reports whether a string is equal to or after another in UTF-8 order. */
function atLeast(a: string, b: string): boolean {
  return SURROGATES.test(a) || SURROGATES.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) >= 0 : a >= b
}
/** Characters beyond U+FFFF consist of two surrogates. */
const SURROGATES = /[\ud800-\udfff]/

/** Reads the next changes of the log, which is complete from the compacted revision on. */
function readLog(source: WatchSource, watch: BackendWatch, from: Revision): BackendBatch {
  const { tables } = source
  const events: BackendEvent[] = []
  const last = source.revision()
  let next = from
  for (
    let bytes = 0, seen = 0;
    next <= last && events.length < BATCH_EVENTS && bytes < BATCH_BYTES && seen < PASSED_OVER;
    next = revisionAfter(next), seen++
  ) {
    const modRevision = next
    const stored = tables.log.getBinaryFast(numberBytes(modRevision))
    if (!stored) continue
    const record = decodeRecord(stored)
    const key = decodeKey(record.key)
    if (!watchCovers(watch, key)) continue
    const { createRevision } = record
    const value = record.kind === DELETION_RECORD ? undefined : copyOf(record.value)
    bytes += stored.length
    let previous: KeyValue | undefined
    // The previous change may be a deletion, after which the key was created anew.
    if (watch.previous && record.before !== 0 && createRevision !== modRevision) previous = changeAt(tables, key, record.before)
    events.push({
      type: value ? 'put' : 'delete',
      key,
      modRevision,
      createRevision,
      ...(value && { value }),
      ...(previous && { previous }),
    })
  }
  return { events, revision: revisionBefore(next) }
}
