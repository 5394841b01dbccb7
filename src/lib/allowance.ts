import { type Clock, steadyClock } from './clock.ts'

/** How often something may be done: some times at once, and so many more with each second (a token bucket). */
export class Allowance {
  private readonly most: number
  private readonly perSecond: number
  private readonly clock: Clock
  private left: number
  private at: number

  constructor(most: number, perSecond: number, clock: Clock = steadyClock) {
    this.most = most
    this.perSecond = perSecond
    this.clock = clock
    this.left = most
    this.at = clock.now()
  }

  /** False where there is none left. */
  spend(): boolean {
    const now = this.clock.now()
    this.left = Math.min(this.most, this.left + ((now - this.at) / 1000) * this.perSecond)
    this.at = now
    if (this.left < 1) return false
    this.left--
    return true
  }
}
