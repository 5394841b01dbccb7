import type { Clock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { Backend, BackendEvent } from '../backend.ts'
import { BackendError } from '../backend.ts'
import { delay } from '../delay.ts'
import { keyspaceEnd, keyspaceStart } from '../key-range.ts'
import { revision } from '../revision.ts'
import type { RevisionClock } from './revision-clock.ts'

const shortestPauseMs = 50
const longestPauseMs = 2000

/** What the reflector keeps current. */
export interface ReflectorTarget {
  /** Reads the whole state anew, puts it in place and sets the clock to its revision, in one step. */
  load(signal: AbortSignal): Promise<void>
  /** Applies one event. Everything of a revision is applied before the clock is moved to it. */
  apply(event: BackendEvent): void
}

class GapError extends Error {
  override readonly name = 'GapError'
}

/**
 * Keeps the caches current by one watch over the whole keyspace. Each change has a revision one higher than the last, so a revision that is missing proves a loss, and the state is
 * read anew. Keys that no resource caches count for the revision only. While the store is unreachable watches stay open, as with kube-apiserver, and go on when it is back.
 */
export class Reflector {
  readonly #backend: Backend
  readonly #target: ReflectorTarget
  readonly #time: RevisionClock
  readonly #wall: Clock
  readonly #logger: Logger
  readonly #stop = new AbortController()
  #session = new AbortController()
  #done: Promise<void> = Promise.resolve()
  #open = false
  /** States read anew after the first one. */
  relists = 0

  constructor(options: { backend: Backend; target: ReflectorTarget; time: RevisionClock; clock: Clock; logger: Logger }) {
    this.#backend = options.backend
    this.#target = options.target
    this.#time = options.time
    this.#wall = options.clock
    this.#logger = options.logger
  }

  /** Whether the store has accepted the watch. */
  get open(): boolean {
    return this.#open
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

  async #run(): Promise<void> {
    const { signal } = this.#stop
    let loaded = false
    let fresh = false
    let pause = shortestPauseMs
    while (!signal.aborted) {
      this.#session = new AbortController()
      const opened = this.#wall.now()
      try {
        if (!fresh) {
          if (loaded) this.relists++
          await this.#target.load(signal)
          loaded = true
          fresh = true
        }
        await this.#follow(AbortSignal.any([signal, this.#session.signal]))
      } catch (error) {
        if (signal.aborted) break
        if (error instanceof GapError || (error instanceof BackendError && error.code === 'compacted')) fresh = false
        this.#logger.warn('the watch of the store ended', { error: errorMessage(error), revision: this.#time.now })
      }
      this.#open = false
      if (signal.aborted) break
      pause = this.#wall.now() - opened > longestPauseMs ? shortestPauseMs : Math.min(2 * pause, longestPauseMs)
      await delay(pause, signal).catch(() => {})
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const onOpen = () => {
      this.#open = true
    }
    const current = await this.#backend.currentRevision(signal)
    if (current < this.#time.now) throw new GapError(`the store is at revision ${current}, before ${this.#time.now}: it was restored from a copy`)
    const from = revision(this.#time.now + 1)
    for await (const batch of this.#backend.watch({ start: keyspaceStart, end: keyspaceEnd, from, onOpen }, signal)) {
      if (batch.events.length > 0) await this.#apply(batch.events)
    }
  }

  async #apply(events: readonly BackendEvent[]): Promise<void> {
    const before = this.#time.now
    let last = before
    for (const event of events) {
      const { modRevision } = event
      if (modRevision <= before) continue
      if (modRevision !== last) {
        this.#time.advance(last)
        if (modRevision !== last + 1) throw new GapError(`revision ${modRevision} came after ${last}`)
        last = modRevision
        if (turnIsSpent()) await nextTurn()
      }
      this.#target.apply(event)
    }
    this.#time.advance(last)
  }
}
