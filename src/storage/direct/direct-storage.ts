import { steadyClock, systemClock, type TimerClock } from '../../lib/clock.ts'
import type { Backend } from '../backend.ts'
import { type CorruptReports, plainReports, readFaultOf, reported } from '../corrupt.ts'
import { delay } from '../delay.ts'
import { tooLargeRevision, translated } from '../errors.ts'
import { ListCounts } from '../list-metrics.ts'
import { PageCounts } from '../page-counts.ts'
import type { Key, Revision } from '../revision.ts'
import type { Decide, ListQuery, Page, ReadAt, ResourceCodec, Storage, StoredObject, Watcher, WatchQuery, Written } from '../storage.ts'
import { StorageError } from '../storage.ts'
import { Stored } from '../stored-object.ts'
import { listPage } from './list.ts'
import { openWatch } from './watch.ts'
import { guardedWrite } from './write.ts'

/** Codes for a read at a revision that the store has not reached. They lead to different Statuses. */
export type FutureCode = 'future revision' | 'too large revision'

/** Options of an uncached resource. All have defaults. */
export interface DirectOptions {
  /**
   * How long a read waits for a future revision. If 0, the revision is only compared with that of the response.
   * Default: 3 s, as in kube-apiserver's cache.
   */
  readonly revisionWaitMs?: number
  /** Queued events per watcher. Default: 4096. */
  readonly queueLimit?: number
  /** Bytes of queued objects per watcher. Default: 16 MiB. */
  readonly queueBytes?: number | undefined
  /**
   * How long to wait for a watcher with a full queue before it is ended. The store buffers further changes meanwhile.
   * Default: 5 s.
   */
  readonly patienceMs?: number
  /** Called for each watcher that is ended because its client did not keep up. */
  readonly onSlowWatcher?: () => void
  /** Interval of bookmarks. Default: 1 min. */
  readonly bookmarkMs?: number
  /** Clock and timer of bookmarks. Default: those of the system. */
  readonly timers?: TimerClock | undefined
  /**
   * Whether an exact list at a future revision fails immediately with `future revision`, as in etcd. Otherwise it
   * waits. Default: false.
   */
  readonly futureFails?: boolean
  /** Code of that failure: `too large revision` since release 1.34. Default: `future revision`. */
  readonly futureCode?: FutureCode | undefined
  /** Aborted when the resource is no longer served. Its watches then end after their queued events. */
  readonly removed?: AbortSignal
  /** Optional. Counters that lists increment. */
  readonly counts?: ListCounts
  /** How unreadable objects are reported. Default: plainReports. */
  readonly reports?: CorruptReports
}

/**
 * Storage of one resource without a cache: every read is a request to the store, and every watch a watch of the store.
 */
export class DirectStorage implements Storage {
  readonly cached = false
  readonly backend: Backend
  readonly codec: ResourceCodec
  readonly #options: DirectOptions
  readonly #reports: CorruptReports
  readonly #counts: ListCounts
  readonly #pages = new PageCounts()

  constructor(backend: Backend, codec: ResourceCodec, options: DirectOptions = {}) {
    this.backend = backend
    this.codec = codec
    this.#options = options
    this.#counts = options.counts ?? new ListCounts()
    this.#reports = options.reports ?? plainReports
  }

  async get(key: Key, at: ReadAt, signal: AbortSignal): Promise<StoredObject | undefined> {
    const wanted = wantedRevision(at)
    if (wanted !== undefined && this.#waits) await this.#reach(wanted, signal)
    const { item, revision } = await translated(this.backend.get(key, signal, exactRevision(at)), { key })
    if (wanted !== undefined && revision < wanted) throw tooLargeRevision(wanted, revision)
    try {
      return item && (await Stored.readInTurns(item.key, item.modRevision, this.codec, item.value))
    } catch (error) {
      throw reported(error, this.#reports.get)
    }
  }

  cachedObject(): undefined {
    return undefined
  }

  cachedObjects(): undefined {
    return undefined
  }

  list(prefix: Key, query: ListQuery, signal: AbortSignal): Promise<Page> {
    return this.#list(prefix, query, this.#reports, signal)
  }

  /**
   * Lists at the revision of the query. Waits a limited time for a revision that is not there yet, unless the query
   * names it exactly. Throws StorageError `too large` if it does not come.
   */
  async #list(prefix: Key, query: ListQuery, reports: CorruptReports, signal: AbortSignal): Promise<Page> {
    const wanted = wantedRevision(query.at)
    // The revision of a continue token was returned by an earlier page, so it should exist: a future one is refused
    // immediately.
    const atOnce = isExact(query.at) && (this.#options.futureFails || query.startKey !== undefined)
    if (wanted !== undefined) {
      if (atOnce) await this.#hasCome(wanted, signal)
      else if (this.#waits) await this.#reach(wanted, signal)
    }
    const { backend, codec } = this
    const options = { exactly: exactRevision(query.at), counts: this.#counts, pages: this.#pages }
    const page = await translated(listPage({ backend, codec, reports }, prefix, query, options, signal))
    if (wanted !== undefined && page.revision < wanted) throw tooLargeRevision(wanted, page.revision)
    return page
  }

  /** Opens a watch of the store. Initial objects are listed first, and the watch begins after their revision. */
  async watch(prefix: Key, query: WatchQuery, signal: AbortSignal): Promise<Watcher> {
    const {
      queueLimit = 4096,
      queueBytes,
      bookmarkMs = 60_000,
      patienceMs = 5000,
      timers: clock = systemClock,
      onSlowWatcher,
      removed,
    } = this.#options
    const limits = { queueLimit, queueBytes, bookmarkMs, patienceMs, clock, onSlow: onSlowWatcher, removed }
    const { backend, codec } = this
    const source = { backend, codec, reports: this.#reports }
    if ('after' in query.start) return openWatch(source, prefix, query, { after: query.start.after, limits }, signal)
    const page = await this.#list(
      prefix,
      { at: query.start.initial, predicate: query.predicate, limit: 0 },
      asEvents(this.#reports),
      signal,
    )
    return openWatch(
      source,
      prefix,
      query,
      { after: page.revision, present: page.items, bookmarkAtEnd: query.start.bookmarkAtEnd, limits },
      signal,
    )
  }

  async write<T>(key: Key, decide: Decide<T>, signal: AbortSignal, assume?: StoredObject | 'absent'): Promise<Written<T>> {
    try {
      return await guardedWrite(this, key, decide, signal, assume)
    } catch (error) {
      throw reported(error, this.#reports.write)
    }
  }

  /**
   * Deletes an object that cannot be read at its newest revision. Another write in between is examined anew, so a
   * readable object is never deleted.
   */
  async removeCorrupt(key: Key, signal: AbortSignal, dryRun = false): Promise<'removed' | 'readable' | 'absent'> {
    let { item } = await translated(this.backend.get(key, signal), { key })
    for (;;) {
      if (item === undefined) return 'absent'
      try {
        Stored.read(key, item.modRevision, this.codec, item.value)
        return 'readable'
      } catch (error) {
        if (readFaultOf(error) === undefined) throw error
      }
      if (dryRun) return 'removed'
      const result = await translated(this.backend.write({ key, expected: item.modRevision }, signal), { key })
      if (result.ok) return 'removed'
      item = result.current
    }
  }

  currentRevision(signal: AbortSignal): Promise<Revision> {
    return translated(this.backend.currentRevision(signal))
  }

  count(): undefined {
    return undefined
  }

  get #waits(): boolean {
    return this.#options.revisionWaitMs !== 0
  }

  async #hasCome(wanted: Revision, signal: AbortSignal): Promise<void> {
    const revision = await this.currentRevision(signal)
    const { futureCode = 'future revision' } = this.#options
    if (revision < wanted)
      throw new StorageError(futureCode, `revision ${wanted} has not come, current: ${revision}`, { revision, retryAfterSeconds: 0 })
  }

  /** Waits until the store has reached the revision. Throws StorageError `too large revision` after the timeout. */
  async #reach(wanted: Revision, signal: AbortSignal): Promise<void> {
    const until = steadyClock.now() + (this.#options.revisionWaitMs ?? 3000)
    for (let pause = 25; ; pause = Math.min(2 * pause, 250)) {
      const current = await this.currentRevision(signal)
      if (current >= wanted) return
      if (steadyClock.now() + pause > until) throw tooLargeRevision(wanted, current)
      await delay(pause, signal)
    }
  }
}

/** Reports for the initial state of a watch, whose objects are events: the first unreadable one ends the watch. */
const asEvents = (reports: CorruptReports): CorruptReports => ({ ...reports, listsAll: false, list: ([fault]) => reports.event(fault) })

function wantedRevision(at: ReadAt): Revision | undefined {
  if (typeof at === 'string') return undefined
  return 'exactly' in at ? at.exactly : at.notOlderThan
}

const isExact = (at: ReadAt): at is { exactly: Revision } => typeof at === 'object' && 'exactly' in at
const exactRevision = (at: ReadAt): Revision | undefined => (isExact(at) ? at.exactly : undefined)
