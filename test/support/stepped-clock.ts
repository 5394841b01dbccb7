import type { Timer, TimerClock } from '../../src/lib/clock.ts'

/** A clock whose time a test moves. Timers that are due run in the order of their times. */
export class SteppedClock implements TimerClock {
  #now: number
  readonly #timers = new Set<{ readonly due: number; readonly call: () => void }>()
  readonly steady = { now: (): number => this.#now }

  constructor(now = 0) {
    this.#now = now
  }

  /** Number of timers that are set. */
  get timers(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#now
  }

  after(milliseconds: number, call: () => void): Timer {
    const timer = { due: this.#now + milliseconds, call }
    this.#timers.add(timer)
    return { close: () => void this.#timers.delete(timer) }
  }

  /** Moves the time, and runs the timers that are due. Between two of them, promises and immediate calls run. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds
    for (;;) {
      await settled()
      const next = [...this.#timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0]
      if (next === undefined) break
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.due)
      next.call()
    }
    this.#now = end
    await settled()
  }
}

/** Lets promises and immediate calls run. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve))
}
