import { setMaxListeners } from 'node:events'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import {
  type Backend,
  type BackendBatch,
  BackendError,
  type BackendEvent,
  type BackendWatch,
  type GuardedWrite,
  type KeyValue,
  type RangePage,
  type RangeQuery,
  type WriteResult,
} from '../../../src/storage/backend.ts'
import { keyspaceStart } from '../../../src/storage/key-range.ts'
import type { Key, Revision } from '../../../src/storage/revision.ts'

/**
 * One server's connection to a shared store, with configurable delays, interruptions, lost events and lost responses.
 */
export class TroubledBackend implements Backend {
  readonly #inner: Backend
  readonly #random: () => number
  readonly #slowness: number
  readonly #watches = new Set<AbortController>()
  #down = false
  /** Revisions that the watch of the whole keyspace is not given, one for each that comes. */
  lose = 0
  /** Number of writes that take effect without a response. */
  unanswered = 0
  /** Writes that are lost on their way. */
  unsent = 0

  /** `slowness`: 0: no delays; 1: a few milliseconds now and then. */
  constructor(inner: Backend, random: () => number, slowness: number) {
    this.#inner = inner
    this.#random = random
    this.#slowness = slowness
  }

  get down(): boolean {
    return this.#down
  }

  /** Calls fail, and watches end, until it is false again. */
  set down(down: boolean) {
    this.#down = down
    if (down) this.cut()
  }

  /** Ends the watches. */
  cut(): void {
    for (const watch of this.#watches) watch.abort()
  }

  async #pause(): Promise<void> {
    const dice = this.#random()
    if (dice >= this.#slowness) return
    if (dice < 0.4 * this.#slowness) return void (await turn())
    await sleep(this.#random() * 4 * this.#slowness)
  }

  async #call<T>(call: () => Promise<T>): Promise<T> {
    await this.#pause()
    this.#reach()
    const answer = await call()
    await this.#pause()
    this.#reach()
    return answer
  }

  #reach(): void {
    if (this.#down) throw new BackendError('unavailable', 'the connection is down')
  }

  size(signal: AbortSignal): Promise<number> {
    return this.#call(() => this.#inner.size(signal))
  }

  get(key: Key, signal: AbortSignal, at?: Revision): Promise<{ item: KeyValue | undefined; revision: Revision }> {
    return this.#call(() => this.#inner.get(key, signal, at))
  }

  range(query: RangeQuery, signal: AbortSignal): Promise<RangePage> {
    return this.#call(() => this.#inner.range(query, signal))
  }

  write(write: GuardedWrite, signal: AbortSignal): Promise<WriteResult> {
    return this.#call(async () => {
      if (this.unsent > 0 && this.unsent-- > 0) throw new BackendError('unavailable', 'the connection broke before the write')
      const result = await this.#inner.write(write, signal)
      if (this.unanswered > 0 && this.unanswered-- > 0) throw new BackendError('timeout', 'the answer did not come')
      return result
    })
  }

  async *watch(watch: BackendWatch, signal: AbortSignal): AsyncGenerator<BackendBatch, void, undefined> {
    await this.#pause()
    this.#reach()
    const session = new AbortController()
    const either = AbortSignal.any([signal, session.signal])
    setMaxListeners(0, either)
    this.#watches.add(session)
    try {
      for await (const batch of this.#inner.watch(watch, either)) {
        for (const part of this.#parts(watch.start === keyspaceStart ? this.#heard(batch.events) : batch.events, batch.revision)) {
          await this.#pause()
          if (either.aborted) break
          yield part
        }
      }
      if (session.signal.aborted && !signal.aborted) throw new BackendError('unavailable', 'the connection was cut')
    } finally {
      this.#watches.delete(session)
    }
  }

  /** Without the revisions that are lost. */
  #heard(events: readonly BackendEvent[]): readonly BackendEvent[] {
    if (this.lose === 0) return events
    const first = events[0]?.modRevision
    if (first === undefined) return events
    this.lose--
    return events.filter(({ modRevision }) => modRevision !== first)
  }

  /** In one or more batches, as networks cut them: whole revisions each. */
  #parts(events: readonly BackendEvent[], revision: Revision): BackendBatch[] {
    const cut = Math.floor(this.#random() * 2 * events.length)
    const before = events[cut - 1]
    if (before === undefined || events[cut] === undefined || events[cut]?.modRevision === before.modRevision) return [{ events, revision }]
    return [
      { events: events.slice(0, cut), revision: before.modRevision },
      { events: events.slice(cut), revision },
    ]
  }

  currentRevision(signal: AbortSignal): Promise<Revision> {
    return this.#call(() => this.#inner.currentRevision(signal))
  }

  compact(before: Revision, signal: AbortSignal): Promise<void> {
    return this.#call(() => this.#inner.compact(before, signal))
  }

  check(signal: AbortSignal): Promise<void> {
    return this.#call(() => this.#inner.check(signal))
  }

  /** The store belongs to others, too. */
  async close(): Promise<void> {
    this.down = true
  }
}
