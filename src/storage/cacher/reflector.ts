import type { Clock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { Backend, BackendErrorCode, BackendEvent, WatchProof } from '../backend.ts'
import { BackendError } from '../backend.ts'
import { delay } from '../delay.ts'
import { keyspaceEnd, keyspaceStart, prefixEnd } from '../key-range.ts'
import { type Key, type Revision, revision } from '../revision.ts'
import { ProgressRequests } from './progress-requests.ts'
import type { RevisionClock } from './revision-clock.ts'

const SHORTEST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2000
/** Error codes of a read that retries cannot change. */
const UNREADABLE: ReadonlySet<BackendErrorCode> = new Set(['compacted', 'denied', 'corrupt', 'too large'])

/** Caches that the reflector updates. */
export interface ReflectorTarget {
  /** Loads the whole state, installs it and sets the clock to its revision, in one step. */
  load(signal: AbortSignal): Promise<void>
  /** Decodes the value of an event in turns if it is large, before `apply`. */
  prepare(event: BackendEvent): Promise<void> | undefined
  /**
   * Applies one event, which arrived at this time on the clock of `performance.now()`. All events of a revision are
   * applied before the clock advances to it.
   */
  apply(event: BackendEvent, arrived: number): void
}

/** Dependencies of a reflector. */
export interface ReflectorOptions {
  readonly backend: Backend
  /** Common prefix of the keys of all resources. */
  readonly prefix: Key
  readonly target: ReflectorTarget
  readonly time: RevisionClock
  readonly clock: Clock
  readonly logger: Logger
  /**
   * Called when the watch is open. Changes may have been lost before: some gaps do not show in revisions, or the store
   * was replaced by a copy.
   */
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
 * How the reflector follows the store. `progress`: a watch over the prefix, with progress requests. `revisions`: a
 * watch over the whole keyspace, in which a missing revision proves a loss. `events`: a watch over the prefix that
 * reports only its events, so that readers cannot wait for the cache to reach a revision.
 */
export type Following = WatchProof | 'events'

/**
 * Keeps the caches current with one watch. If the store's watches report progress, it covers the prefix of all
 * resources. Otherwise it covers the whole keyspace: each change has a revision one higher than the last, so a missing
 * revision proves a loss, and the state is reloaded. Keys that are not cached count only for their revision. While the
 * store is unreachable, clients' watches stay open, as in kube-apiserver, and continue when it is back.
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
  /** Last event since the state was loaded. A store without it was restored from a copy. */
  #lastEvent: SeenEvent | undefined
  /** Whether the caches have the state at the clock's revision. False if they must be reloaded. */
  #isFresh = false
  /** Why the last watch ended; undefined while a watch is open. */
  #failing: string | undefined
  /** Number of reloads after the initial load. */
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

  /** Number of progress requests sent. */
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

  /** Reopens the watch after the last revision that it delivered, because a later one is known to exist. */
  reopen(): void {
    this.#session.abort()
  }

  /** Reloads the whole state, because the store no longer has the changes since the revision of the caches. */
  relist(): void {
    this.#isFresh = false
    this.reopen()
  }

  /**
   * Reopens the watch if the store's watches now report progress, for example after its last member was upgraded.
   * Rejects with BackendError.
   */
  async reconsider(signal: AbortSignal): Promise<void> {
    if (this.#open && this.#following !== 'progress' && (await this.#backend.watchProof?.(signal)) === 'progress') this.reopen()
  }

  /**
   * Loads the state and follows the store, until the reflector is stopped. Each failure ends a session. The state is
   * loaded again only if changes may have been lost: after compaction, a gap, or a restore of the store. Pauses between
   * sessions double up to a limit.
   */
  async #run(): Promise<void> {
    const { signal } = this.#stop
    let loaded = false
    let pause = SHORTEST_PAUSE_MS
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
        // Readers that find the store behind keep ending the session. The check must not be ended with it.
        await this.#checkHistory(signal)
        await this.#follow(AbortSignal.any([signal, this.#session.signal]))
      } catch (error) {
        if (signal.aborted) break
        if (error instanceof RestoredError) this.#time.undo()
        if (error instanceof GapError || error instanceof RestoredError || (error instanceof BackendError && error.code === 'compacted'))
          this.#isFresh = false
        this.#report(error, loaded)
      }
      this.#open = false
      this.#requests.close()
      if (signal.aborted) break
      pause = this.#wall.now() - opened > LONGEST_PAUSE_MS ? SHORTEST_PAUSE_MS : Math.min(2 * pause, LONGEST_PAUSE_MS)
      await delay(pause, signal).catch(() => {})
    }
  }

  /**
   * Logs only the first of equal failures, and none at startup, where the server itself logs that it waits for the
   * store.
   */
  #report(cause: unknown, loaded: boolean): void {
    const error = errorMessage(cause)
    const fields = { error, revision: this.#time.now }
    const waits = !loaded && cause instanceof BackendError && (cause.code === 'unavailable' || cause.code === 'timeout')
    if (!waits && error !== this.#failing) this.#logger.warn('the watch of the store ended: it is opened again until it succeeds', fields)
    else this.#logger.debug(1, 'the watch of the store is not open', fields)
    this.#failing = error
  }

  /**
   * Watches by progress, by revisions or by events, as the store allows. A user who may not read the whole store gets a
   * watch of the prefix alone.
   */
  async #follow(signal: AbortSignal): Promise<void> {
    const proof = (await this.#backend.watchProof?.(signal)) ?? 'revisions'
    try {
      await this.#watch(proof, signal)
    } catch (error) {
      if (proof === 'progress' || !(error instanceof BackendError && error.code === 'denied')) throw error
      await this.#watch('events', signal)
    }
  }

  /**
   * Throws RestoredError if the store is behind the caches, or has another history: a copy may have passed the caches'
   * revision by the time of the check.
   */
  async #checkHistory(signal: AbortSignal): Promise<void> {
    const current = await this.#backend.currentRevision(signal)
    if (current < this.#time.now)
      throw new RestoredError(`the store is at revision ${current}, before ${this.#time.now}: it was restored from a copy`)
    const last = this.#lastEvent
    if (last !== undefined && !(await this.#hasEvent(last, signal)))
      throw new RestoredError(`the store has not the change of ${last.key} at revision ${last.modRevision}: it was restored from a copy`)
  }

  /**
   * Whether the store has the event. If it can no longer be read, the event counts as present: the comparison after the
   * watch is opened finds differences.
   */
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

  /**
   * Applies the batches of one watch, from the revision after that of the caches. Returns or throws when the watch
   * ends.
   */
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
    const from = revision(this.#time.now + 1)
    const watch = { ...range, from, progress: following === 'progress', onOpen }
    for await (const batch of this.#backend.watch(watch, signal)) {
      if (batch.events.length > 0) await this.#apply(batch.events, from, wholeStore)
      else if (following === 'progress') this.#time.advance(batch.revision)
    }
  }

  /** Records and logs how the store is followed. Not logged for a store that is always followed in the same way. */
  #follows(following: Following): void {
    if (following === this.#following) return
    this.#following = following
    if (this.#backend.watchProof) this.#logger.info('following the store', { by: followingText(following, this.#prefix) })
  }

  /**
   * Applies events of a watch from a revision. `gapless`: a missing revision proves a loss. An event proves one too if
   * the clock has passed it, because progress came before it.
   */
  async #apply(events: readonly BackendEvent[], from: Revision, gapless: boolean): Promise<void> {
    const arrived = performance.now()
    const before = this.#time.now
    let last = before
    for (const [i, event] of events.entries()) {
      const { modRevision } = event
      if (modRevision < from) continue
      if (modRevision <= before) throw new GapError(`the change at revision ${modRevision} came after ${before} was reported`)
      if (modRevision !== last) {
        this.#time.advance(last)
        if (gapless && modRevision !== last + 1) throw new GapError(`revision ${modRevision} came after ${last}`)
        last = modRevision
        if (turnIsSpent()) await nextTurn()
        // Readers must not see a part of a revision, so all its events are decoded before the first is applied.
        for (let at = i, next: BackendEvent | undefined = event; next?.modRevision === modRevision; next = events[++at]) {
          const ready = this.#target.prepare(next)
          if (ready) await ready
        }
      }
      this.#target.apply(event, arrived)
    }
    this.#time.advance(last)
    const latest = events.at(-1)
    if (latest !== undefined && latest.modRevision > before) this.#lastEvent = withOwnValue(latest)
  }
}

/** Copies the value, because a slice would retain the bytes of all events that came with it. */
const withOwnValue = ({ key, modRevision, value }: BackendEvent): SeenEvent => ({
  key,
  modRevision,
  ...(value && { value: Buffer.from(value) }),
})

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
