/** Statistics of a variable over a period. Average and deviation are NaN for an empty period. */
export interface Integrated {
  readonly seconds: number
  /** Time-weighted average. */
  readonly average: number
  /** Time-weighted standard deviation. */
  readonly deviation: number
  readonly min: number
  readonly max: number
}

/** Computes the statistics of a variable over time. */
export class Integrator {
  readonly #now: () => number
  #changedAt: number
  #value = 0
  #min = 0
  #max = 0
  #seconds = 0
  #integral = 0
  #squares = 0

  /** `now`: clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
    this.#changedAt = now()
  }

  /** `at`: the current time, if the caller knows it. */
  set(value: number, at = this.#now()): void {
    this.#advance(at)
    this.#value = value
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
  }

  /** Returns the statistics of the current period, up to now. */
  results(): Integrated {
    this.#advance(this.#now())
    const seconds = this.#seconds
    const min = this.#min
    const max = this.#max
    const average = seconds > 0 ? this.#integral / seconds : Number.NaN
    const variance = this.#squares / seconds - average * average
    return { seconds, average, deviation: variance >= 0 ? Math.sqrt(variance) : Number.NaN, min, max }
  }

  /** Returns the results and starts a new period. */
  reset(): Integrated {
    const results = this.results()
    this.#seconds = 0
    this.#integral = 0
    this.#squares = 0
    this.#min = this.#value
    this.#max = this.#value
    return results
  }

  #advance(at: number): void {
    const seconds = (at - this.#changedAt) / 1000
    if (seconds <= 0) return
    this.#changedAt = at
    this.#seconds += seconds
    this.#integral += this.#value * seconds
    this.#squares += this.#value * this.#value * seconds
  }
}
