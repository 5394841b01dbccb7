import { type Clock, steadyClock } from './clock.ts'

/** Limits a rate: it begins full, each `take` takes one token, and tokens come back at a steady rate up to the capacity. A take without a token is refused, never delayed. */
export class TokenBucket {
  private readonly capacity: number
  private readonly perSecond: number
  private readonly clock: Clock
  private tokens: number
  private filledAt: number

  constructor(capacity: number, perSecond: number, clock: Clock = steadyClock) {
    this.capacity = capacity
    this.perSecond = perSecond
    this.clock = clock
    this.tokens = capacity
    this.filledAt = clock.now()
  }

  /** False if no token is left; then none is taken. */
  take(): boolean {
    const now = this.clock.now()
    this.tokens = Math.min(this.capacity, this.tokens + ((now - this.filledAt) / 1000) * this.perSecond)
    this.filledAt = now
    if (this.tokens < 1) return false
    this.tokens--
    return true
  }
}
