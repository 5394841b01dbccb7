import type { Clock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { Backend, BackendErrorCode, BackendEvent, WatchProof } from '../backend.ts'
import { BackendError } from '../backend.ts'
import { delay } from '../delay.ts'
import { keyspaceEnd, keyspaceStart, prefixEnd } from '../key-range.ts'
import { type Key, revision } from '../revision.ts'
import { ProgressRequests } from './progress-requests.ts'
import type { RevisionClock } from './revision-clock.ts'

const shortestPauseMs = 50
const longestPauseMs = 2000
/** Errors of a read that the store will answer in the same way again. */
const UNREADABLE: ReadonlySet<BackendErrorCode> = new Set(['compacted', 'denied', 'corrupt', 'too large'])

/** What the reflector keeps current. */
export interface ReflectorTarget {
  /** Reads the whole state anew, puts it in place and sets the clock to its revision, in one step. */
  load(signal: AbortSignal): Promise<void>
  /** Applies one event. Everything of a revision is applied before the clock is moved to it. */
  apply(event: BackendEvent): void
}

/** What a reflector works with. */
export interface ReflectorOptions {
  readonly backend: Backend
  /** Begins the keys of all resources. */
  readonly prefix: Key
  readonly target: ReflectorTarget
  readonly time: RevisionClock
  readonly clock: Clock
  readonly logger: Logger
  /** Called when the watch is open: after a gap that revisions would not show, or in which the store was replaced by a copy. */
  onOpen(): void
}

class GapError extends Error {
  override readonly name = 'GapError'
}

/** The store was replaced by an older copy of itself. */
class RestoredError extends Error {
  override readonly name = 'RestoredError'
}

type SeenEvent = Pick<BackendEvent, 'key' | 'modRevision' | 'value'>

/**
 * How the reflector follows the store. `progress`: by a watch over the prefix, whose progress it requests. `revisions`: by a watch over the whole keyspace, in which a missing revision proves a loss. `events`: by a watch
 * over the prefix that shows no more than its events, so that the cache cannot be waited for.
 */
export type Following = WatchProof | 'events'

/**
 * Keeps the caches current by one watch. If the store's watches report progress, it is over the prefix of all resources. If not, it is over the whole keyspace: each change has a revision one higher than the last, so a
 * revision that is missing proves a loss, and the state is read anew; keys that no resource caches count for the revision only. While the store is unreachable watches stay open, as with kube-apiserver, and go on when it
 * is back.
 */
export class Reflector {
  readonly #backend: Backend
  readonly #target: ReflectorTarget
  readonly #time: RevisionClock
  readonly #wall: Clock
  readonly #logger: Logger
  readonly #prefix: Key
  readonly #requests: ProgressRequests
  readonly #onOpen: ReflectorOptions['onOpen']
  readonly #stop = new AbortController()
  #session = new AbortController()
  #done: Promise<void> = Promise.resolve()
  #open = false
  #hasOpened = false
  #following: Following | undefined
  /** The last event since the state was read. A store that does not have it was restored from a copy. */
  #lastEvent: SeenEvent | undefined
  /** Whether the state is that of the clock's revision. */
  #isFresh = false
  /** Why the watch ended last; undefined once it is open. */
  #failing: string | undefined
  /** States read anew after the first one. */
  relists = 0

  constructor(options: ReflectorOptions) {
    this.#backend = options.backend
    this.#target = options.target
    this.#time = options.time
    this.#wall = options.clock
    this.#logger = options.logger
    this.#prefix = options.prefix
    this.#onOpen = options.onOpen
    this.#requests = new ProgressRequests(options.time)
  }

  /** Whether the store has accepted the watch. */
  get open(): boolean {
    return this.#open
  }

  /** How the store is followed, or was before the watch ended. Undefined before the first watch. */
  get following(): Following | undefined {
    return this.#following
  }

  /** Requests of progress that were sent. */
  get progressRequests(): number {
    return this.#requests.count
  }

  start(): void {
    this.#done = this.#run()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#session.abort()
    await this.#done
  }

  /** Opens the watch again after the last revision that it gave: for a reader who knows of a later one. */
  reopen(): void {
    this.#session.abort()
  }

  /** Reads the whole state anew, if what the caches have is too old for the store to tell what has changed since. */
  relist(): void {
    this.#isFresh = false
    this.reopen()
  }

  /** Opens the watch again if the store's watches have come to report progress: after the last of its members was upgraded, for example. Rejects with BackendError. */
  async reconsider(signal: AbortSignal): Promise<void> {
    if (this.#open && this.#following !== 'progress' && (await this.#backend.watchProof?.(signal)) === 'progress') this.reopen()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    let loaded = false
    let pause = shortestPauseMs
    while (!signal.aborted) {
      this.#session = new AbortController()
      const opened = this.#wall.now()
      try {
        if (!this.#isFresh) {
          if (loaded) this.relists++
          await this.#target.load(signal)
          this.#lastEvent = undefined
          loaded = true
          this.#isFresh = true
        }
        // Readers that find the store behind end the session again and again: this check goes on.
        await this.#checkHistory(signal)
        await this.#follow(AbortSignal.any([signal, this.#session.signal]))
      } catch (error) {
        if (signal.aborted) break
        if (error instanceof RestoredError) this.#time.undo()
        if (error instanceof GapError || error instanceof RestoredError || (error instanceof BackendError && error.code === 'compacted')) this.#isFresh = false
        this.#report(error, loaded)
      }
      this.#open = false
      this.#requests.close()
      if (signal.aborted) break
      pause = this.#wall.now() - opened > longestPauseMs ? shortestPauseMs : Math.min(2 * pause, longestPauseMs)
      await delay(pause, signal).catch(() => {})
    }
  }

  /** Logs the first of failures that are alike. A server that waits for its store at the start says so itself. */
  #report(cause: unknown, loaded: boolean): void {
    const error = errorMessage(cause)
    const fields = { error, revision: this.#time.now }
    const waits = !loaded && cause instanceof BackendError && (cause.code === 'unavailable' || cause.code === 'timeout')
    if (!waits && error !== this.#failing) this.#logger.warn('the watch of the store ended: it is opened again until it succeeds', fields)
    else this.#logger.debug(1, 'the watch of the store is not open', fields)
    this.#failing = error
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const proof = (await this.#backend.watchProof?.(signal)) ?? 'revisions'
    try {
      await this.#watch(proof, signal)
    } catch (error) {
      if (proof === 'progress' || !(error instanceof BackendError && error.code === 'denied')) throw error
      await this.#watch('events', signal)
    }
  }

  /** Throws RestoredError if the store is behind the caches, or has another history: a copy may have passed their revision before it is looked at. */
  async #checkHistory(signal: AbortSignal): Promise<void> {
    const current = await this.#backend.currentRevision(signal)
    if (current < this.#time.now) throw new RestoredError(`the store is at revision ${current}, before ${this.#time.now}: it was restored from a copy`)
    const last = this.#lastEvent
    if (last !== undefined && !(await this.#hasEvent(last, signal)))
      throw new RestoredError(`the store has not the change of ${last.key} at revision ${last.modRevision}: it was restored from a copy`)
  }

  /** A change that cannot be read any more is taken to be there: the comparison after the watch is open finds what differs. */
  async #hasEvent({ key, modRevision, value }: SeenEvent, signal: AbortSignal): Promise<boolean> {
    try {
      const { item } = await this.#backend.get(key, signal, modRevision)
      if (value === undefined || item === undefined) return value === item
      return item.modRevision === modRevision && item.value.equals(value)
    } catch (error) {
      if (error instanceof BackendError && UNREADABLE.has(error.code)) return true
      throw error
    }
  }

  async #watch(following: Following, signal: AbortSignal): Promise<void> {
    const wholeStore = following === 'revisions'
    const onOpen = (requestProgress?: () => void) => {
      this.#open = true
      if (this.#failing !== undefined) this.#logger.info('the watch of the store is open again', { before: this.#failing })
      this.#failing = undefined
      this.#follows(following)
      if (requestProgress) this.#requests.open(requestProgress)
      if (this.#hasOpened || !wholeStore) this.#onOpen()
      this.#hasOpened = true
    }
    const range = wholeStore ? { start: keyspaceStart, end: keyspaceEnd } : { start: this.#prefix, end: prefixEnd(this.#prefix) }
    const watch = { ...range, from: revision(this.#time.now + 1), progress: following === 'progress', onOpen }
    for await (const batch of this.#backend.watch(watch, signal)) {
      if (batch.events.length > 0) await this.#apply(batch.events, wholeStore)
      else if (following === 'progress') this.#time.advance(batch.revision)
    }
  }

  /** A store that always follows in the same way has nothing to tell about it. */
  #follows(following: Following): void {
    if (following === this.#following) return
    this.#following = following
    if (this.#backend.watchProof) this.#logger.info('following the store', { by: followingText(following, this.#prefix) })
  }

  /** `gapless`: a revision that is missing proves a loss. */
  async #apply(events: readonly BackendEvent[], gapless: boolean): Promise<void> {
    const before = this.#time.now
    let last = before
    for (const event of events) {
      const { modRevision } = event
      if (modRevision <= before) continue
      if (modRevision !== last) {
        this.#time.advance(last)
        if (gapless && modRevision !== last + 1) throw new GapError(`revision ${modRevision} came after ${last}`)
        last = modRevision
        if (turnIsSpent()) await nextTurn()
      }
      this.#target.apply(event)
    }
    this.#time.advance(last)
    const latest = events.at(-1)
    if (latest !== undefined && latest.modRevision > before) this.#lastEvent = withOwnValue(latest)
  }
}

/** Copies the value: it would pin the bytes of all events that came with it. */
const withOwnValue = ({ key, modRevision, value }: BackendEvent): SeenEvent => ({ key, modRevision, ...(value && { value: Buffer.from(value) }) })

/** Describes how the store is followed, for the log and the health report. */
export function followingText(following: Following, prefix: Key): string {
  switch (following) {
    case 'progress':
      return `a watch over ${prefix} with its progress`
    case 'revisions':
      return 'a watch over all keys without a gap in their revisions'
    case 'events':
      return `a watch over ${prefix} without progress: consistent reads are served by the store`
  }
}
