import { type Clock, LONGEST_TIMER_MS, systemClock, type Timer, type TimerClock } from '../lib/clock.ts'
import { Heap, type HeapEntry } from '../lib/heap.ts'

/** A scheduled call. */
interface Call extends Timer, HeapEntry {
  /** Time of the clock at which the call is due. */
  readonly at: number
  /** Calls for the same time are made in the order in which they were scheduled. */
  readonly order: number
  /** The call. */
  readonly make: () => void
}

/** Options of a clock. */
export interface MovedClockOptions {
  /** Initial time in milliseconds since the epoch. */
  readonly at: number
  /** Whether the clock also advances with the machine's. Otherwise only `advance` moves it. */
  readonly runs: boolean
}

/**
 * Clock of a control plane that a test moves. Timers between the old and the new time fire at their own times, in
 * order.
 */
export class MovedClock implements TimerClock {
  /** The same clock: it never jumps back. */
  readonly steady: Clock = { now: () => this.now() }
  #runs: boolean
  #time: number
  /** Machine's steady time from which the clock runs on from `time`. Undefined while it is stopped. */
  #since: number | undefined
  readonly #calls = new Heap<Call>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order))
  #scheduled = 0
  #wake: Timer | undefined
  #wakesAt = Number.POSITIVE_INFINITY
  #moves: Promise<void> = Promise.resolve()

  constructor({ at, runs }: MovedClockOptions) {
    this.#time = at
    this.#runs = runs
    this.#go()
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#time + (this.#since === undefined ? 0 : Math.floor(systemClock.steady.now() - this.#since))
  }

  /** Schedules a call. It is due by this clock, however long the machine takes to get there. */
  after(milliseconds: number, make: () => void): Timer {
    const call: Call = {
      at: this.now() + Math.max(0, milliseconds),
      order: this.#scheduled++,
      make,
      index: -1,
      close: () => this.#calls.remove(call),
    }
    this.#calls.add(call)
    if (call.at < this.#wakesAt) this.#wakeAt(call.at)
    return call
  }

  /** Returns a clock with the same time that moves independently. */
  fork(): MovedClock {
    return new MovedClock({ at: this.now(), runs: this.#runs })
  }

  /** Stops the clock. Only `advance` moves it. */
  hold(): void {
    this.#runs = false
    this.#stand()
  }

  /**
   * Moves the clock. Resolves when all timers within the period have fired. @param settled awaited after each time at
   * which one fired.
   */
  advance(milliseconds: number, settled: () => Promise<void>): Promise<void> {
    const moved = this.#moves.then(() => this.#move(milliseconds, settled))
    this.#moves = moved.catch(() => {})
    return moved
  }

  /** Moves the clock from timer to timer, up to the end. */
  async #move(milliseconds: number, settled: () => Promise<void>): Promise<void> {
    this.#stand()
    const end = this.#time + milliseconds
    try {
      for (let next = this.#calls.first; next !== undefined && next.at <= end; next = this.#calls.first) {
        this.#time = Math.max(this.#time, next.at)
        this.#callDue()
        await settled()
      }
      this.#time = Math.max(this.#time, end)
      await settled()
    } finally {
      this.#go()
    }
  }

  /** Makes the calls that are due, in the order of their times. Calls that these schedule are made later. */
  #callDue(): void {
    const now = this.now()
    const scheduled = this.#scheduled
    for (let next = this.#calls.first; next !== undefined && next.at <= now && next.order < scheduled; next = this.#calls.first) {
      this.#calls.remove(next)
      next.make()
    }
  }

  /** Stops the clock at its present time. */
  #stand(): void {
    this.#time = this.now()
    this.#since = undefined
    this.#wakeForNext()
  }

  /** Lets the clock run with the machine's, if it does. */
  #go(): void {
    if (!this.#runs) return
    this.#since = systemClock.steady.now()
    this.#wakeForNext()
  }

  /** Replaces the machine's timer by one for the next call. */
  #wakeForNext(): void {
    this.#wake?.close()
    this.#wakesAt = Number.POSITIVE_INFINITY
    const next = this.#calls.first
    if (next !== undefined) this.#wakeAt(next.at)
  }

  /** Schedules the next wake-up. While the clock is stopped, only due timers fire. */
  #wakeAt(at: number): void {
    const left = Math.max(0, at - this.now())
    if (this.#since === undefined && left > 0) return
    this.#wake?.close()
    this.#wakesAt = at
    this.#wake = systemClock.after(Math.min(left, LONGEST_TIMER_MS), () => {
      this.#callDue()
      this.#wakeForNext()
    })
  }
}
