import { setMaxListeners } from 'node:events'
import { LightSignal } from '../lib/light-signal.ts'
import { onAbort } from '../lib/on-abort.ts'

/** A moment by both clocks, in milliseconds. */
export interface Instant {
  /** Since the epoch; may be set back and forth. */
  readonly wall: number
  /** Of a clock that nobody sets, but that may stand still while the machine sleeps. */
  readonly monotonic: number
}

/** The longer of what the two clocks say has gone by: neither a clock that was set back nor one that stood still hides time. */
export const elapsed = (from: Instant, to: Instant): number => Math.max(to.monotonic - from.monotonic, to.wall - from.wall)

/**
 * A time during which this server holds a Lease. It ends when it is ended, and by itself when it has not been extended for `lastsMs`: a timer sees to that, whatever the
 * renewal is waiting for. A process that was stopped for longer finds it ended before it sends anything, as `fence` asks the clocks whenever it is looked at.
 */
export class Term {
  /** For loops and their pauses. */
  readonly signal: AbortSignal
  /** For calls to the store: aborted from the moment at which the time has run out. */
  readonly fence: AbortSignal
  private readonly end = new AbortController()
  private readonly lastsMs: number
  private readonly now: () => Instant
  private begun: Instant
  private timer: NodeJS.Timeout | undefined

  /** `from`: when the renewal that is known to have come through was begun. */
  constructor(from: Instant, lastsMs: number, now: () => Instant) {
    this.begun = from
    this.lastsMs = lastsMs
    this.now = now
    this.signal = this.end.signal
    setMaxListeners(0, this.signal) // a controller that pauses listens
    this.fence = new LightSignal(
      () => this.over,
      gone => onAbort(this.signal, gone),
    )
    this.schedule()
  }

  get over(): boolean {
    if (!this.signal.aborted && this.leftMs <= 0) this.stop()
    return this.signal.aborted
  }

  /** Time until the term ends by itself. */
  get leftMs(): number {
    return this.lastsMs - elapsed(this.begun, this.now())
  }

  /** It lasts from this moment; without effect once it is over. */
  extend(from: Instant): void {
    if (this.over) return
    this.begun = from
    this.schedule()
  }

  stop(): void {
    clearTimeout(this.timer)
    this.end.abort()
  }

  private schedule(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      if (!this.over) this.schedule()
    }, this.leftMs)
    this.timer.unref()
  }
}
