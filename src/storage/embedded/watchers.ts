import { onAbort } from '../../lib/on-abort.ts'
import { nextTurn } from '../../lib/turn.ts'
import type { BackendBatch, BackendEvent, BackendWatch, KeyValue } from '../backend.ts'
import { BackendError } from '../backend.ts'
import { type Key, type Revision, revisionAfter, revisionBefore } from '../revision.ts'
import type { Tables } from './environment.ts'
import { copyOf, decodeRecord, deletion, keyOf, numberBytes } from './layout.ts'
import { changeAt } from './reader.ts'
import type { Change } from './writer.ts'

/** Events and bytes of a batch read from the log. */
const batchEvents = 500
const batchBytes = 4 << 20
/** Changes of other keys that are passed over for a batch. */
const passedOver = 2000
/** Events that may wait for a watcher; beyond them it reads on from the log. */
const queueBound = 10_000

interface Watcher {
  readonly watch: BackendWatch
  /** The first revision not yet queued or given. */
  next: Revision
  /** Whether commits are queued for it; otherwise it reads the log. */
  live: boolean
  queue: BackendEvent[]
  wake: (() => void) | undefined
}

/** The state that watches follow. */
export interface WatchSource {
  readonly tables: Tables
  /** The newest revision that is on disk and announced. */
  revision(): Revision
  compacted(): Revision
}

export interface Watchers {
  watch(watch: BackendWatch, signal: AbortSignal): AsyncGenerator<BackendBatch, void, undefined>
  /** Gives the watchers a group of consecutive revisions, the next after the last. Called when `source.revision()` already returns the new one. */
  publish(changes: readonly Change[], revision: Revision): void
  close(): void
}

/** Watches: from the log until they have caught up, from then on from the commits as they happen, without a gap between. */
export function openWatchers(source: WatchSource): Watchers {
  const watchers = new Set<Watcher>()
  let closed = false

  async function* watch(query: BackendWatch, signal: AbortSignal): AsyncGenerator<BackendBatch, void, undefined> {
    const watcher: Watcher = { watch: query, next: query.from || revisionAfter(source.revision()), live: false, queue: [], wake: undefined }
    const forget = onAbort(signal, () => watcher.wake?.())
    watchers.add(watcher)
    /** The first revision that was not given. */
    let due = watcher.next
    let opened = false
    try {
      while (!signal.aborted) {
        if (closed) throw new BackendError('unavailable', 'the store is closed')
        if (!watcher.live) {
          if (watcher.next > source.revision()) {
            watcher.live = true
          } else if (watcher.next < source.compacted()) {
            throw new BackendError('compacted', `revision ${watcher.next} is compacted`, { compactRevision: source.compacted() })
          }
        }
        if (!opened) {
          opened = true
          query.onOpen?.()
        }
        if (!watcher.live) {
          const batch = readLog(source, query, watcher.next)
          due = watcher.next = revisionAfter(batch.revision)
          yield batch
          // A long history must not hold the event loop.
          await nextTurn()
        } else if (watcher.next > due) {
          const events = watcher.queue
          watcher.queue = []
          due = watcher.next
          yield { events, revision: revisionBefore(due) }
        } else {
          await new Promise<void>(resolve => {
            watcher.wake = resolve
          })
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
      const full: BackendEvent[] = []
      for (const watcher of watchers) {
        if (!watcher.live || watcher.next > revision) continue
        changes.forEach(({ event, replaced }, i) => {
          if (event.modRevision < watcher.next || !covers(watcher.watch, event.key)) return
          if (watcher.watch.previous && replaced !== 0) full[i] ??= withPrevious(source.tables, event, replaced)
          watcher.queue.push((watcher.watch.previous && full[i]) || event)
        })
        const [first] = watcher.queue
        if (first !== undefined && watcher.queue.length > queueBound) {
          // It is too slow for memory, not for the log: it reads on from the last revision given.
          watcher.next = first.modRevision
          watcher.queue = []
          watcher.live = false
        } else watcher.next = revisionAfter(revision)
        watcher.wake?.()
      }
    },
    close() {
      closed = true
      for (const watcher of watchers) watcher.wake?.()
    },
  }
}

function withPrevious(tables: Tables, event: BackendEvent, replaced: Revision): BackendEvent {
  const previous = changeAt(tables, event.key, replaced)
  return previous ? { ...event, previous } : event
}

/** Code points order as UTF-8 does; UTF-16 units differ from it only beyond U+FFFF, where bytes decide. */
function covers(watch: BackendWatch, key: Key): boolean {
  return atLeast(key, watch.start) && (watch.end === '\0' || !atLeast(key, watch.end))
}

function atLeast(a: string, b: string): boolean {
  return surrogates.test(a) || surrogates.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) >= 0 : a >= b
}
const surrogates = /[\ud800-\udfff]/

/** The next changes of the log. From the compacted revision on, the log has every revision. */
function readLog(source: WatchSource, watch: BackendWatch, from: Revision): BackendBatch {
  const { tables } = source
  const events: BackendEvent[] = []
  const last = source.revision()
  let next = from
  for (let bytes = 0, seen = 0; next <= last && events.length < batchEvents && bytes < batchBytes && seen < passedOver; next = revisionAfter(next), seen++) {
    const modRevision = next
    const stored = tables.log.getBinaryFast(numberBytes(modRevision))
    if (!stored) continue
    const record = decodeRecord(stored)
    const key = keyOf(record.key)
    if (!covers(watch, key)) continue
    const { createRevision } = record
    const value = record.kind === deletion ? undefined : copyOf(record.value)
    bytes += stored.length
    let previous: KeyValue | undefined
    // The change before may have been a deletion, after which the key was created anew.
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
