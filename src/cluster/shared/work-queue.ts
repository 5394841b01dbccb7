import { LONGEST_TIMER_MS, type Timer, type TimerClock } from '../../lib/clock.ts'
import { onAbort } from '../../lib/on-abort.ts'
import type { QueueMeter } from '../../lib/queue-meter.ts'
import { WaitingKeys } from '../../lib/waiting-keys.ts'
import { ItemRateLimiter } from './rate-limiter.ts'

export interface KeyQueueOptions {
  /** Number of keys that are processed at the same time. */
  readonly workers: number
  /** Processes a key. If it rejects, the key is retried with back-off. */
  readonly work: (key: string) => Promise<void>
  /** Called for each failure. @param isDropped whether the key is not retried. */
  readonly onError: (key: string, error: unknown, isDropped: boolean) => void
  /** Clock of the API, whose time deadlines are in. */
  readonly clock: TimerClock
  readonly meter: QueueMeter
  readonly signal: AbortSignal
  /** Optional. Number of retries after which a failing key is dropped. Default: unlimited. */
  readonly maxRetries?: number
  /** Optional. Delay after the first failure of a key, in milliseconds. Default: 5 ms. */
  readonly firstRetryMs?: number
}

/** Times at which a delayed key is added, on each clock that can add it. */
type DelayedKey = Map<TimerClock, { readonly at: number; readonly timer: Timer }>

/**
 * Queue of keys with the semantics of client-go's rate limited work queue. A key waits once, however often it is added.
 * It is processed by one worker at a time; if it is added meanwhile, it is processed again. A failing key is retried
 * after the delay of `ItemRateLimiter`. Times of `addAfter` are those of the API's clock. A retry or a pause is over as
 * soon as its delay has passed on the API's clock or on that of the meter, so that a stopped clock of the API does not
 * hold it back.
 */
export class KeyQueue {
  readonly #options: KeyQueueOptions
  readonly #limiter: ItemRateLimiter
  readonly #keys = new WaitingKeys()
  readonly #delayed = new Map<string, DelayedKey>()
  #isStarting = false

  constructor(options: KeyQueueOptions) {
    this.#options = options
    this.#limiter = new ItemRateLimiter(options.clock, options.firstRetryMs)
    options.meter.follow(this.#keys.waiting, this.#keys.running, key => this.#begin(key))
    onAbort(options.signal, () => this.#clear())
  }

  /** Adds a key, unless it is waiting already. */
  add(key: string): void {
    if (this.#options.signal.aborted) return
    if (this.#keys.add(key)) this.#options.meter.adds.value++
    this.#next()
  }

  /** Adds a key once the time has passed. Of several times for a key that is not waiting, the earliest counts. */
  addAfter(key: string, milliseconds: number): void {
    if (milliseconds > 0) this.#delay(key, milliseconds, [this.#options.clock])
    else this.add(key)
  }

  /** `addAfter` for a delay that only saves work: a stopped clock of the API does not hold it back. */
  addAfterPause(key: string, milliseconds: number): void {
    if (milliseconds > 0) this.#delay(key, milliseconds, this.#pauses)
    else this.add(key)
  }

  /** Adds a key again after the delay that follows from its failures. */
  addRateLimited(key: string): void {
    this.#options.meter.retries.value++
    this.#delay(key, this.#limiter.delay(key), this.#pauses)
  }

  get #pauses(): readonly TimerClock[] {
    const { clock, meter } = this.#options
    return clock === meter.pauses ? [clock] : [clock, meter.pauses]
  }

  /** Number of failures of a key since it was last processed without one. */
  retries(key: string): number {
    return this.#limiter.failures(key)
  }

  #delay(key: string, milliseconds: number, clocks: readonly TimerClock[]): void {
    if (this.#options.signal.aborted) return
    const delayed: DelayedKey = this.#delayed.get(key) ?? new Map()
    this.#delayed.set(key, delayed)
    const end = (): void => {
      this.#drop(key)
      this.add(key)
    }
    for (const clock of clocks) {
      const at = clock.now() + milliseconds
      const earlier = delayed.get(clock)
      if (earlier && earlier.at <= at) continue
      earlier?.timer.close()
      delayed.set(clock, { at, timer: clock.after(Math.min(milliseconds, LONGEST_TIMER_MS), end) })
    }
  }

  #drop(key: string): void {
    for (const { timer } of this.#delayed.get(key)?.values() ?? []) timer.close()
    this.#delayed.delete(key)
  }

  #clear(): void {
    for (const key of [...this.#delayed.keys()]) this.#drop(key)
    this.#keys.clear()
  }

  /**
   * Starts waiting keys in a later turn, so that a key for which several events arrive in one turn is processed once.
   */
  #next(): void {
    if (this.#isStarting || this.#options.meter.isHeld()) return
    this.#isStarting = true
    setImmediate(() => {
      this.#isStarting = false
      this.#start()
    })
  }

  /** Starts waiting keys while workers are free. */
  #start(): void {
    if (this.#options.meter.isHeld()) return
    while (this.#keys.running.size < this.#options.workers) {
      const key = this.#keys.first()
      if (key === undefined) return
      this.#begin(key)
    }
  }

  /** Moves a key from waiting to running. */
  #begin(key: string): void {
    this.#options.meter.waited.observe(this.#keys.begin(key) / 1000)
    void this.#run(key)
  }

  async #run(key: string): Promise<void> {
    const { work, signal, meter } = this.#options
    try {
      await work(key)
      this.#limiter.forget(key)
    } catch (error) {
      if (!signal.aborted) this.#fail(key, error)
    }
    meter.worked.observe(this.#keys.end(key) / 1000)
    if (!signal.aborted) this.#next()
  }

  #fail(key: string, error: unknown): void {
    const { maxRetries = Number.POSITIVE_INFINITY, onError } = this.#options
    const isDropped = this.#limiter.failures(key) >= maxRetries
    onError(key, error, isDropped)
    if (isDropped) this.#limiter.forget(key)
    else this.addRateLimited(key)
  }
}
