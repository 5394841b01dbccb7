import type { Clock } from '../../lib/clock.ts'

const [BASE_MS, LONGEST_MS] = [5, 1_000_000]
const [BUCKET_PER_SECOND, BUCKET_SIZE] = [10, 100]

/**
 * Returns the delay after a number of failures of one item, in milliseconds: 5 ms, doubled up to 1000 s, as client-go's
 * ItemExponentialFailureRateLimiter.
 */
export const exponentialDelay = (failures: number): number => delayFrom(BASE_MS, failures)

const delayFrom = (first: number, failures: number): number => Math.min(first * 2 ** Math.min(failures, 64), LONGEST_MS)

/**
 * Decides how long items of a queue wait before they are retried: the longer of the item's own exponential delay and
 * that of a bucket for all items of 10 a second, with a burst of 100. These are the limits of client-go's
 * DefaultControllerRateLimiter.
 */
export class ItemRateLimiter {
  readonly #clock: Clock
  readonly #first: number
  readonly #failures = new Map<string, number>()
  /** Tokens of the bucket. Negative if retries have reserved tokens of the future. */
  #tokens = BUCKET_SIZE
  #filledAt: number

  /** @param first delay after the first failure of an item, in milliseconds. */
  constructor(clock: Clock, first = BASE_MS) {
    this.#clock = clock
    this.#first = first
    this.#filledAt = clock.now()
  }

  /** Counts a failure of an item, and returns its delay in milliseconds. */
  delay(item: string): number {
    const failures = this.#failures.get(item) ?? 0
    this.#failures.set(item, failures + 1)
    return Math.max(delayFrom(this.#first, failures), this.#reserve())
  }

  /** Returns the number of failures since the item was last forgotten. */
  failures(item: string): number {
    return this.#failures.get(item) ?? 0
  }

  forget(item: string): void {
    this.#failures.delete(item)
  }

  /** Reserves a token. Returns the milliseconds until the bucket has it. */
  #reserve(): number {
    const now = this.#clock.now()
    this.#tokens = Math.min(BUCKET_SIZE, this.#tokens + (Math.max(0, now - this.#filledAt) / 1000) * BUCKET_PER_SECOND)
    this.#filledAt = now
    this.#tokens--
    return this.#tokens >= 0 ? 0 : (-this.#tokens / BUCKET_PER_SECOND) * 1000
  }
}
