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
  private readonly now: () => number
  private changedAt: number
  private value = 0
  private min = 0
  private max = 0
  private seconds = 0
  private integral = 0
  private squares = 0

  /** `now`: clock in milliseconds. */
  constructor(now: () => number) {
    this.now = now
    this.changedAt = now()
  }

  /** `at`: the current time, if the caller knows it. */
  set(value: number, at = this.now()): void {
    this.advance(at)
    this.value = value
    if (value < this.min) this.min = value
    if (value > this.max) this.max = value
  }

  /** Returns the statistics of the current period, up to now. */
  results(): Integrated {
    this.advance(this.now())
    const { seconds, min, max } = this
    const average = seconds > 0 ? this.integral / seconds : Number.NaN
    const variance = this.squares / seconds - average * average
    return { seconds, average, deviation: variance >= 0 ? Math.sqrt(variance) : Number.NaN, min, max }
  }

  /** Returns the results and starts a new period. */
  reset(): Integrated {
    const results = this.results()
    this.seconds = 0
    this.integral = 0
    this.squares = 0
    this.min = this.value
    this.max = this.value
    return results
  }

  private advance(at: number): void {
    const seconds = (at - this.changedAt) / 1000
    if (seconds <= 0) return
    this.changedAt = at
    this.seconds += seconds
    this.integral += this.value * seconds
    this.squares += this.value * this.value * seconds
  }
}
