import { steadyClock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { Backend } from '../backend.ts'
import { prefixEnd } from '../key-range.ts'
import { rangePages } from '../range-pages.ts'
import type { Key, Revision } from '../revision.ts'
import type { CacherCore } from './cacher-types.ts'
import type { ResourceCache } from './resource-cache.ts'

/** What a resource has in the cache and in the store, as digests. */
export interface Consistency {
  /** At which both were looked at. */
  readonly revision: Revision
  /** Of the cache, and of the store: equal where they have the same objects, each at the same revision. */
  readonly cache: string
  readonly store: string
}

/** A digest of keys and the revisions that wrote them, whatever their order: the number of them, and sums of two 32-bit FNV-1a hashes that begin differently. */
export class KeyDigest {
  #count = 0
  #first = 0
  #second = 0

  add(key: Key, revision: Revision): void {
    let first = 0x811c9dc5
    let second = 0x01000193
    for (let i = 0; i < key.length; i++) {
      const unit = key.charCodeAt(i)
      first = Math.imul(first ^ unit, 0x01000193)
      second = Math.imul(second ^ unit, 0x01000193)
    }
    const high = Math.floor(revision / 0x1_0000_0000)
    for (const word of [revision >>> 16, revision & 0xffff, high]) {
      first = Math.imul(first ^ word, 0x01000193)
      second = Math.imul(second ^ word, 0x01000193)
    }
    this.#count++
    this.#first = (this.#first + first) >>> 0
    this.#second = (this.#second + second) >>> 0
  }

  get text(): string {
    const hex = (n: number) => n.toString(16).padStart(8, '0')
    return `${this.#count}-${hex(this.#first)}${hex(this.#second)}`
  }
}

/** Compares what a cache has with what the store had at the revision that the cache has reached. Costs the store its keys, and no values. Throws BackendError. */
export async function compareWithStore(backend: Backend, cache: ResourceCache, reached: Revision, signal: AbortSignal): Promise<Consistency> {
  // In one step with the revision: later changes do not show in a clone.
  const tree = cache.tree.clone()
  const unreadable = [...cache.corrupt.values()].map(({ fault }) => fault)
  const ours = new KeyDigest()
  for (const { key, revision } of unreadable) ours.add(key, revision)
  for (const [key, { revision }] of tree.entries()) {
    ours.add(key, revision)
    if (turnIsSpent()) await nextTurn()
  }
  const store = new KeyDigest()
  const { prefix } = cache.resource
  for await (const { items } of rangePages(backend, { start: prefix, end: prefixEnd(prefix), at: reached, keysOnly: true }, signal)) {
    for (const { key, modRevision } of items) {
      store.add(key, modRevision)
      if (turnIsSpent()) await nextTurn()
    }
  }
  return { revision: reached, cache: ours.text, store: store.text }
}

/** What the checks need of the cacher. */
export interface ConsistencyOptions {
  readonly core: CacherCore
  readonly backend: Backend
  readonly logger: Logger
  /** 0: nothing is checked. */
  readonly intervalMs: number
  /** How soon the caches are compared once the watch is open. */
  readonly recheckMs: number
  caches(): readonly ResourceCache[]
  /** Whether the store has accepted the watch. */
  isOpen(): boolean
  /** Changes when the whole state is read anew. */
  generation(): number
  /** Called before the caches are compared. */
  prepare(signal: AbortSignal): Promise<void>
  /** Reads the state of a resource anew. */
  readAnew(cache: ResourceCache): Promise<void>
}

/** Compares each cache with the store now and then, and has one that differs read anew. The outcomes are counted. */
export class ConsistencyChecks {
  readonly #options: ConsistencyOptions
  #signal: AbortSignal | undefined
  #timer: NodeJS.Timeout | undefined
  /** Time of the next comparison, by the steady clock. */
  #due = Number.POSITIVE_INFINITY
  /** Resolves when the checks have ended. */
  ended: Promise<void> = Promise.resolve()

  constructor(options: ConsistencyOptions) {
    this.#options = options
  }

  /** Checks until the signal aborts. */
  start(signal: AbortSignal): void {
    const { intervalMs } = this.#options
    if (intervalMs <= 0) return
    this.#signal = signal
    signal.addEventListener('abort', () => clearTimeout(this.#timer), { once: true })
    this.#compareWithin(intervalMs)
  }

  /** The watch has been opened. Known faults of etcd and kine lose changes there, which a watch over a prefix does not show. */
  opened(): void {
    this.#compareWithin(this.#options.recheckMs)
  }

  /** A random part of the time is left out, so that servers that start together do not all compare at once. */
  #compareWithin(ms: number): void {
    const signal = this.#signal
    const pause = ms * (0.5 + Math.random() / 2)
    const due = steadyClock.now() + pause
    if (signal === undefined || signal.aborted || due >= this.#due) return
    this.#due = due
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#due = Number.POSITIVE_INFINITY
      this.ended = this.ended.then(() => this.#compareAll(signal)).then(() => this.#compareWithin(this.#options.intervalMs))
    }, pause).unref()
  }

  async #compareAll(signal: AbortSignal): Promise<void> {
    const { caches, prepare } = this.#options
    await prepare(signal).catch(() => {})
    for (const cache of caches()) await this.#compare(cache, signal)
  }

  async #compare(cache: ResourceCache, signal: AbortSignal): Promise<void> {
    const { backend, logger, generation, isOpen, readAnew } = this.#options
    if (!cache.loaded || cache.held !== undefined || !isOpen() || signal.aborted) return
    const begun = generation()
    const { name } = cache.resource
    try {
      const found = await compareWithStore(backend, cache, await this.#reach(signal), signal)
      // Read anew meanwhile: the answer is of a state that is gone.
      if (begun !== generation() || cache.removed) return
      if (found.cache === found.store) {
        cache.counts.checks.success++
        return
      }
      cache.counts.checks.failure++
      logger.warn('the watch cache differs from the store, and is read anew', { resource: name, ...found })
    } catch (error) {
      if (signal.aborted) return
      cache.counts.checks.error++
      logger.debug(1, 'the watch cache cannot be compared with the store', { resource: name, error: errorMessage(error) })
      return
    }
    await readAnew(cache)
  }
  /** Waits until the caches have what the store has now, and returns their revision: an older one may be compacted. A watch that has come to a halt is opened anew. */
  async #reach(signal: AbortSignal): Promise<Revision> {
    const { core } = this.#options
    const newest = await core.probe(signal)
    try {
      if (core.comesTo(newest)) await core.time.reach(newest, signal, core.revisionWaitMs)
    } catch (error) {
      if (!signal.aborted) core.suspect()
      throw error
    }
    return core.time.now
  }
}
