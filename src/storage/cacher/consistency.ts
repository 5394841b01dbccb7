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

/** Digests of a resource in the cache and in the store. */
export interface Consistency {
  /** Revision at which both were read. */
  readonly revision: Revision
  /** Digests of the cache and of the store. They are equal if both have the same keys at the same mod revisions. */
  readonly cache: string
  readonly store: string
}

/**
 * Digest of keys and their mod revisions, independent of order: their number, and the sums of two 32-bit FNV-1a hashes
 * with different offset bases.
 */
export class KeyDigest {
  #count = 0
  #first = 0
  #second = 0

  /**
   * Sums 32-bit hashes, so that the order of the keys does not matter and the cache and the store can be read in any.
   */
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

/**
 * Compares a cache with the store at the revision that the cache has reached. Reads only keys from the store, no
 * values. Throws BackendError.
 */
export async function compareWithStore(
  backend: Backend,
  cache: ResourceCache,
  reached: Revision,
  signal: AbortSignal,
): Promise<Consistency> {
  // Cloned in the same step in which the revision was read: later changes do not show in a clone.
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

/** Dependencies of the checks. */
export interface ConsistencyOptions {
  readonly core: CacherCore
  readonly backend: Backend
  readonly logger: Logger
  /** Interval of the checks. 0 disables them. */
  readonly intervalMs: number
  /** Delay of a check after the watch is opened, and after one that failed. */
  readonly recheckMs: number
  caches(): readonly ResourceCache[]
  /** Whether the store has accepted the watch. */
  isOpen(): boolean
  /** Number of full loads. A change during a comparison makes its result void. */
  generation(): number
  /** Called before the caches are compared. */
  prepare(signal: AbortSignal): Promise<void>
  /** Reloads the state of a resource. */
  readAnew(cache: ResourceCache): Promise<void>
}

/**
 * Delay of the next check after a number of failed ones in a row. It doubles with each, up to the interval: reading all
 * keys again and again would keep a busy store busy.
 */
export const nextComparisonMs = (
  failures: number,
  { intervalMs, recheckMs }: Pick<ConsistencyOptions, 'intervalMs' | 'recheckMs'>,
): number => (failures === 0 ? intervalMs : Math.min(intervalMs, recheckMs * 2 ** (failures - 1)))

/** Compares each cache with the store periodically, and reloads one that differs. Counts the outcomes. */
export class ConsistencyChecks {
  readonly #options: ConsistencyOptions
  #signal: AbortSignal | undefined
  #timer: NodeJS.Timeout | undefined
  /** Time of the next comparison on the steady clock. */
  #due = Number.POSITIVE_INFINITY
  /** Number of checks in a row that failed. */
  #failures = 0
  /** Resolves when the checks have ended. */
  ended: Promise<void> = Promise.resolve()

  constructor(options: ConsistencyOptions) {
    this.#options = options
  }

  /** Runs checks until the signal aborts. */
  start(signal: AbortSignal): void {
    const { intervalMs } = this.#options
    if (intervalMs <= 0) return
    this.#signal = signal
    signal.addEventListener('abort', () => clearTimeout(this.#timer), { once: true })
    this.#compareWithin(intervalMs)
  }

  /**
   * Schedules an early check after the watch was opened. Known faults of etcd and kine lose changes then, and a watch
   * over a prefix does not show it.
   */
  opened(): void {
    this.#failures = 0
    this.#compareWithin(this.#options.recheckMs)
  }

  /**
   * Schedules the next check after 50 to 100% of the time. The jitter prevents servers that start together from
   * comparing together.
   */
  #compareWithin(ms: number): void {
    const signal = this.#signal
    const pause = ms * (0.5 + Math.random() / 2)
    const due = steadyClock.now() + pause
    if (signal === undefined || signal.aborted || due >= this.#due) return
    this.#due = due
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#due = Number.POSITIVE_INFINITY
      this.ended = this.ended
        .then(() => this.#compareAll(signal))
        .then(isDone => {
          this.#failures = isDone ? 0 : this.#failures + 1
          this.#compareWithin(nextComparisonMs(this.#failures, this.#options))
        })
    }, pause).unref()
  }

  /**
   * Compares all caches. Resolves to whether none failed to be compared: a busy store is asked again soon, because a
   * loss at the start of a watch shows nowhere else.
   */
  async #compareAll(signal: AbortSignal): Promise<boolean> {
    const { caches, prepare } = this.#options
    await prepare(signal).catch(() => {})
    let isDone = true
    for (const cache of caches()) if (!(await this.#compare(cache, signal))) isDone = false
    return isDone
  }

  /**
   * Compares one cache with the store at the revision that both have. Reloads it if they differ. A failure to compare
   * is counted and says nothing about the cache. Resolves to false then.
   */
  async #compare(cache: ResourceCache, signal: AbortSignal): Promise<boolean> {
    const { backend, logger, generation, isOpen, readAnew } = this.#options
    if (!cache.loaded || cache.held !== undefined || !isOpen() || signal.aborted) return true
    const begun = generation()
    const { name } = cache.resource
    try {
      const found = await compareWithStore(backend, cache, await this.#reach(signal), signal)
      // The state was reloaded meanwhile, so the result is void.
      if (begun !== generation() || cache.removed) return true
      if (found.cache === found.store) {
        cache.counts.checks.success++
        return true
      }
      cache.counts.checks.failure++
      logger.warn('the watch cache differs from the store and is reloaded', { resource: name, ...found })
    } catch (error) {
      if (signal.aborted) return true
      cache.counts.checks.error++
      logger.debug(1, 'the watch cache cannot be compared with the store', { resource: name, error: errorMessage(error) })
      return false
    }
    await readAnew(cache)
    return true
  }
  /**
   * Waits until the caches have reached the store's newest revision, and returns theirs, since an older one may be
   * compacted. If the watch is stuck, it is reopened.
   */
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
