import { parseDuration } from '../lib/duration.ts'
import { seededRandom } from '../lib/seeded-random.ts'
import type { FaultRate } from './fault-spec.ts'

/** Parses a duration. Throws an Error if it is invalid or negative. */
export function millisecondsOf(duration: string): number {
  const milliseconds = Number(parseDuration(duration)) / 1e6
  if (milliseconds < 0) throw new Error(`a duration must not be negative: ${duration}`)
  return milliseconds
}

/** Decides whether a matching request has the fault. */
export class RateState {
  matched = 0
  hits = 0
  readonly #rate: FaultRate
  readonly #random: () => number
  readonly #afterMs: number
  readonly #forMs: number
  readonly #everyMs: number | undefined
  readonly #begun: number

  /** `now`: milliseconds. Throws an Error with the path of an invalid field. */
  constructor(rate: FaultRate, now: number) {
    const { share = 1, seed = 1, skip = 0, count = 0 } = rate
    if (!(share >= 0 && share <= 1)) throw new Error(`rate.share: must be between 0 and 1, got ${share}`)
    for (const [name, value] of Object.entries({ seed, skip, count }))
      if (!Number.isSafeInteger(value) || value < 0) throw new Error(`rate.${name}: must be a non-negative integer, got ${value}`)
    this.#rate = rate
    this.#begun = now
    this.#random = seededRandom(seed)
    this.#afterMs = rate.after === undefined ? 0 : millisecondsOf(rate.after)
    this.#forMs = rate.for === undefined ? Number.POSITIVE_INFINITY : millisecondsOf(rate.for)
    this.#everyMs = rate.every === undefined ? undefined : millisecondsOf(rate.every)
    if (this.#everyMs === 0) throw new Error('rate.every: must be greater than 0')
  }

  /** Counts a matching request. Returns whether it has the fault. */
  strikes(now: number): boolean {
    this.matched++
    if (!this.#isTime(now)) return false
    const { share = 1, skip = 0, count = Number.POSITIVE_INFINITY } = this.#rate
    if (this.matched <= skip || this.hits >= count) return false
    if (share < 1 && this.#random() >= share) return false
    this.hits++
    return true
  }

  #isTime(now: number): boolean {
    const since = now - this.#begun - this.#afterMs
    return since >= 0 && (this.#everyMs === undefined ? since : since % this.#everyMs) < this.#forMs
  }
}
