import { type Clock, LONGEST_TIMER_MS, systemClock, type Timer, type TimerClock } from '../lib/clock.ts'

/** A scheduled call. */
interface Call extends Timer {
  readonly at: number
  readonly make: () => void
}

export interface MovedClockOptions {
  /** Initial time in milliseconds since the epoch. */
  readonly at: number
  /** Whether the clock also advances with the machine's. Otherwise only `advance` moves it. */
  readonly runs: boolean
}

/** Clock of a control plane that a test moves. Timers between the old and the new time fire at their own times, in order. */
export class MovedClock implements TimerClock {
  readonly steady: Clock = { now: () => this.now() }
  #runs: boolean
  #time: number
  /** Machine's steady time from which the clock runs on from `time`. Undefined while it is stopped. */
  #since: number | undefined
  readonly #calls = new Set<Call>()
  #wake: Timer | undefined
  #wakesAt = Number.POSITIVE_INFINITY
  #moves: Promise<void> = Promise.resolve()

  constructor({ at, runs }: MovedClockOptions) {
    this.#time = at
    this.#runs = runs
    this.#go()
  }

  now(): number {
    return this.#time + (this.#since === undefined ? 0 : Math.floor(systemClock.steady.now() - this.#since))
  }

  after(milliseconds: number, make: () => void): Timer {
    const call: Call = { at: this.now() + Math.max(0, milliseconds), make, close: () => void this.#calls.delete(call) }
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

  /** Moves the clock. Resolves when all timers within the period have fired. @param settled awaited after each time at which one fired. */
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
      for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) {
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

  #next(): Call | undefined {
    let first: Call | undefined
    for (const call of this.#calls) if (first === undefined || call.at < first.at) first = call
    return first
  }

  /** Fires due timers in the order in which they were set. */
  #callDue(): void {
    const now = this.now()
    for (const call of [...this.#calls]) if (call.at <= now && this.#calls.delete(call)) call.make()
  }

  #stand(): void {
    this.#time = this.now()
    this.#since = undefined
    this.#wakeForNext()
  }

  #go(): void {
    if (!this.#runs) return
    this.#since = systemClock.steady.now()
    this.#wakeForNext()
  }

  #wakeForNext(): void {
    this.#wake?.close()
    this.#wakesAt = Number.POSITIVE_INFINITY
    const next = this.#next()
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
