import { parseDuration } from '../lib/duration.ts'
import { seededRandom } from '../lib/seeded-random.ts'
import type { FaultRate } from './fault-spec.ts'

/** Throws an Error for what is no duration, or a negative one. */
export function millisecondsOf(duration: string): number {
  const milliseconds = Number(parseDuration(duration)) / 1e6
  if (milliseconds < 0) throw new Error(`a duration is not negative: ${duration}`)
  return milliseconds
}

/** Decides of each request that matches whether it has the fault. */
export class RateState {
  matched = 0
  hits = 0
  private readonly rate: FaultRate
  private readonly random: () => number
  private readonly afterMs: number
  private readonly forMs: number
  private readonly everyMs: number | undefined
  private readonly begun: number

  /** `now`: milliseconds. Throws an Error that names what is wrong. */
  constructor(rate: FaultRate, now: number) {
    const { share = 1, seed = 1, skip = 0, count = 0 } = rate
    if (!(share >= 0 && share <= 1)) throw new Error(`rate.share: between 0 and 1, and not ${share}`)
    for (const [name, value] of Object.entries({ seed, skip, count }))
      if (!Number.isSafeInteger(value) || value < 0) throw new Error(`rate.${name}: a whole number that is not negative, and not ${value}`)
    this.rate = rate
    this.begun = now
    this.random = seededRandom(seed)
    this.afterMs = rate.after === undefined ? 0 : millisecondsOf(rate.after)
    this.forMs = rate.for === undefined ? Number.POSITIVE_INFINITY : millisecondsOf(rate.for)
    this.everyMs = rate.every === undefined ? undefined : millisecondsOf(rate.every)
    if (this.everyMs === 0) throw new Error('rate.every: longer than nothing')
  }

  /** Whether this one has it. Each call counts one request. */
  strikes(now: number): boolean {
    this.matched++
    if (!this.isTime(now)) return false
    const { share = 1, skip = 0, count = Number.POSITIVE_INFINITY } = this.rate
    if (this.matched <= skip || this.hits >= count) return false
    if (share < 1 && this.random() >= share) return false
    this.hits++
    return true
  }

  private isTime(now: number): boolean {
    const since = now - this.begun - this.afterMs
    return since >= 0 && (this.everyMs === undefined ? since : since % this.everyMs) < this.forMs
  }
}
