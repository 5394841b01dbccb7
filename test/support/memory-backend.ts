import type {
  Backend,
  BackendBatch,
  BackendEvent,
  BackendWatch,
  GuardedWrite,
  KeyValue,
  RangePage,
  RangeQuery,
  WatchProof,
  WriteResult,
} from '../../src/storage/backend.ts'
import { BackendError } from '../../src/storage/backend.ts'
import type { Key, Revision } from '../../src/storage/revision.ts'
import { revision } from '../../src/storage/revision.ts'

interface Version {
  readonly mod: Revision
  readonly create: Revision
  /** Absent if the key was deleted. */
  readonly value?: Buffer
}

interface Subscriber {
  readonly watch: BackendWatch
  events: BackendEvent[]
  /** Whether progress is requested. */
  progress: boolean
  wake: () => void
}

/** A store in memory with the whole contract of Backend, and switches for what goes wrong. */
export class MemoryBackend implements Backend {
  readonly #keys = new Map<Key, Version[]>()
  #log: BackendEvent[] = []
  readonly #subscribers = new Set<Subscriber>()
  #revision = 1
  #compacted = 0
  #down = false
  /** Events to withhold from watches: a lossy connection. */
  lose: (event: BackendEvent) => boolean = () => false
  /** Awaited before every response, with the name of the call. */
  before: (call: string) => Promise<void> | void = () => {}
  readonly calls: Record<string, number> = {}
  /**
   * Set it to make watches report progress, or to say that they do not. Default: all revisions appear in a watch over
   * all keys.
   */
  watchProof?: (signal: AbortSignal) => Promise<WatchProof>
  /** Whether the user may not watch a range. */
  denies: (watch: BackendWatch) => boolean = () => false

  get down(): boolean {
    return this.#down
  }

  /** Calls fail as `unavailable` and watches end, until it is false again. */
  set down(down: boolean) {
    this.#down = down
    if (down) for (const subscriber of this.#subscribers) subscriber.wake()
  }

  get revision(): Revision {
    return revision(this.#revision)
  }

  get watches(): readonly BackendWatch[] {
    return [...this.#subscribers].map(s => s.watch)
  }

  async #enter(call: string, signal: AbortSignal): Promise<void> {
    this.calls[call] = (this.calls[call] ?? 0) + 1
    await this.before(call)
    if (signal.aborted) throw new BackendError('aborted', 'the call was aborted', { cause: signal.reason })
    if (this.#down) throw new BackendError('unavailable', 'the store is down')
  }

  #readable(at: Revision | undefined): number {
    if (at === undefined) return this.#revision
    if (at > this.#revision) throw new BackendError('future', `revision ${at} has not come, current: ${this.#revision}`)
    if (at < this.#compacted)
      throw new BackendError('compacted', `revision ${at} is compacted`, { compactRevision: revision(this.#compacted) })
    return at
  }

  #item(key: Key, at: number): KeyValue | undefined {
    const version = this.#keys.get(key)?.findLast(v => v.mod <= at)
    if (!version?.value) return undefined
    return { key, value: Buffer.from(version.value), createRevision: version.create, modRevision: version.mod }
  }

  async get(key: Key, signal: AbortSignal, at?: Revision): Promise<{ item: KeyValue | undefined; revision: Revision }> {
    await this.#enter('get', signal)
    return { item: this.#item(key, this.#readable(at)), revision: revision(this.#revision) }
  }

  async range(query: RangeQuery, signal: AbortSignal): Promise<RangePage> {
    await this.#enter('range', signal)
    const at = this.#readable(query.at)
    const items: KeyValue[] = []
    let count = 0
    for (const key of [...this.#keys.keys()].sort()) {
      if (key < query.start || (query.end !== '\0' && key >= query.end)) continue
      const item = this.#item(key, at)
      if (!item) continue
      count++
      if (!query.countOnly && (!query.limit || items.length < query.limit))
        items.push(query.keysOnly ? { ...item, value: Buffer.alloc(0) } : item)
    }
    return { items, revision: revision(this.#revision), more: items.length < count && !query.countOnly, count }
  }

  async write(write: GuardedWrite, signal: AbortSignal): Promise<WriteResult> {
    await this.#enter('write', signal)
    const now = this.#item(write.key, this.#revision)
    if ((now?.modRevision ?? 0) !== write.expected) return { ok: false, current: now, revision: revision(this.#revision) }
    if (!now && !write.value) return { ok: false, current: undefined, revision: revision(this.#revision) }
    return { ok: true, revision: this.apply([write]) }
  }

  /** Puts and deletes without a guard, all in one revision: another program's transaction. */
  apply(writes: readonly { key: Key; value?: Buffer }[]): Revision {
    const mod = revision(++this.#revision)
    const first = this.#log.length
    for (const { key, value } of writes) {
      const previous = this.#item(key, mod - 1)
      const create = value ? (previous?.createRevision ?? mod) : revision(0)
      const versions = this.#keys.get(key) ?? []
      this.#keys.set(key, versions)
      versions.push({ mod, create, ...(value && { value: Buffer.from(value) }) })
      this.#log.push({
        type: value ? 'put' : 'delete',
        key,
        modRevision: mod,
        createRevision: create,
        ...(value && { value }),
        ...(previous && { previous }),
      })
    }
    for (const subscriber of this.#subscribers) {
      subscriber.events.push(...this.#log.slice(first).filter(e => this.#covers(subscriber.watch, e)))
      subscriber.wake()
    }
    return mod
  }

  /** Delivers the changes of a key to all watches, after later changes and progress. */
  deliverLate(key: Key): void {
    for (const subscriber of this.#subscribers) {
      subscriber.events.push(...this.#log.filter(event => event.key === key))
      subscriber.wake()
    }
  }

  /** Goes back to an earlier revision, as a store does that is restored from a copy. Its watches end. */
  restore(to: Revision): void {
    const wasDown = this.#down
    this.down = true
    for (const [key, versions] of this.#keys)
      this.#keys.set(
        key,
        versions.filter(({ mod }) => mod <= to),
      )
    this.#log = this.#log.filter(({ modRevision }) => modRevision <= to)
    this.#revision = to
    setImmediate(() => {
      this.#down = wasDown
    })
  }

  #covers(watch: BackendWatch, event: BackendEvent): boolean {
    return event.modRevision >= watch.from && event.key >= watch.start && (watch.end === '\0' || event.key < watch.end) && !this.lose(event)
  }

  async *watch(watch: BackendWatch, signal: AbortSignal): AsyncGenerator<BackendBatch, void, undefined> {
    await this.#enter('watch', signal)
    if (this.denies(watch)) throw new BackendError('denied', 'permission denied')
    if (watch.from < this.#compacted)
      throw new BackendError('compacted', `revision ${watch.from} is compacted`, { compactRevision: revision(this.#compacted) })
    let wake = () => {}
    const subscriber: Subscriber = { watch, events: this.#log.filter(e => this.#covers(watch, e)), progress: false, wake: () => wake() }
    const onAbort = () => wake()
    signal.addEventListener('abort', onAbort)
    this.#subscribers.add(subscriber)
    const requestProgress = () => {
      subscriber.progress = true
      wake()
    }
    watch.onOpen?.(watch.progress ? requestProgress : undefined)
    try {
      while (!signal.aborted) {
        if (this.#down) throw new BackendError('unavailable', 'the store is down')
        if (subscriber.events.length === 0 && subscriber.progress) {
          subscriber.progress = false
          yield { events: [], revision: revision(this.#revision) }
          continue
        }
        if (subscriber.events.length === 0) {
          await new Promise<void>(resolve => {
            wake = resolve
          })
          continue
        }
        const events = subscriber.events
        subscriber.events = []
        yield {
          events: watch.previous ? events.map(e => ({ ...e })) : events.map(({ previous: _, ...e }) => e),
          revision: events.at(-1)!.modRevision,
        }
      }
    } finally {
      this.#subscribers.delete(subscriber)
      signal.removeEventListener('abort', onAbort)
    }
  }

  async currentRevision(signal: AbortSignal): Promise<Revision> {
    await this.#enter('currentRevision', signal)
    return revision(this.#revision)
  }

  async compact(before: Revision, signal: AbortSignal): Promise<void> {
    await this.#enter('compact', signal)
    this.#compacted = Math.max(this.#compacted, before)
    this.#log = this.#log.filter(e => e.modRevision >= before)
  }

  check(signal: AbortSignal): Promise<void> {
    return this.#enter('check', signal)
  }

  async size(signal: AbortSignal): Promise<number> {
    await this.#enter('size', signal)
    return 4096
  }

  async close(): Promise<void> {
    this.down = true
  }
}
