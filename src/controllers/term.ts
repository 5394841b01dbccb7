import { setMaxListeners } from 'node:events'
import { LightSignal } from '../lib/light-signal.ts'
import { onAbort } from '../lib/on-abort.ts'

/** A point in time on two clocks, in milliseconds. */
export interface Instant {
  /** Since the epoch. Can be adjusted in both directions. */
  readonly wall: number
  /** Monotonic, but may stop while the machine sleeps. */
  readonly monotonic: number
}

/**
 * Elapsed milliseconds: the larger of both clocks' readings, so that neither an adjusted nor a suspended clock hides
 * time.
 */
export const elapsed = (from: Instant, to: Instant): number => Math.max(to.monotonic - from.monotonic, to.wall - from.wall)

/**
 * Period in which this server holds a Lease. Ends with `stop`, or by timer when it has not been extended for `lastsMs`,
 * even if the renewal hangs. After a suspension of the process, the first check of `fence` reads the clocks and finds
 * it expired before anything is sent.
 */
export class Term {
  /** Signal for loops and their delays. */
  readonly signal: AbortSignal
  /**
   * Signal for calls to the store. Reads as aborted from the moment the period has expired, even before the timer runs.
   */
  readonly fence: AbortSignal
  readonly #end = new AbortController()
  readonly #lastsMs: number
  readonly #now: () => Instant
  #begun: Instant
  #timer: NodeJS.Timeout | undefined

  /** @param from start of the last successful renewal. */
  constructor(from: Instant, lastsMs: number, now: () => Instant) {
    this.#begun = from
    this.#lastsMs = lastsMs
    this.#now = now
    this.signal = this.#end.signal
    setMaxListeners(0, this.signal) // one listener per pause of a controller
    this.fence = new LightSignal(
      () => this.over,
      gone => onAbort(this.signal, gone),
    )
    this.#schedule()
  }

  get over(): boolean {
    if (!this.signal.aborted && this.leftMs <= 0) this.stop()
    return this.signal.aborted
  }

  /** Milliseconds until the period expires. */
  get leftMs(): number {
    return this.#lastsMs - elapsed(this.#begun, this.#now())
  }

  /** Restarts the period at `from`. No effect once it is over. */
  extend(from: Instant): void {
    if (this.over) return
    this.#begun = from
    this.#schedule()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#end.abort()
  }

  /** Starts the expiry timer. It is restarted if it fires early. */
  #schedule(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (!this.over) this.#schedule()
    }, this.leftMs)
    this.#timer.unref()
  }
}
