import { type Clock, steadyClock } from './clock.ts'

/**
 * A rate limiter. The bucket begins full, each `take` takes one token, and tokens are added at a steady rate up to the
 * capacity. A call without a token fails and is never delayed.
 */
export class TokenBucket {
  readonly #capacity: number
  readonly #perSecond: number
  readonly #clock: Clock
  #tokens: number
  #filledAt: number

  constructor(capacity: number, perSecond: number, clock: Clock = steadyClock) {
    this.#capacity = capacity
    this.#perSecond = perSecond
    this.#clock = clock
    this.#tokens = capacity
    this.#filledAt = clock.now()
  }

  /** Takes a token. Returns false if there is none. */
  take(): boolean {
    const now = this.#clock.now()
    this.#tokens = Math.min(this.#capacity, this.#tokens + ((now - this.#filledAt) / 1000) * this.#perSecond)
    this.#filledAt = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}
