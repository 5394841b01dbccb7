import { isMaster } from '../../meta/authorizer.ts'
import type { RequestInfo, User } from '../../meta/context.ts'
import { type StatusError, tooManyRequestsError } from '../../meta/status.ts'
import type { Filter } from './filter.ts'

/** Holds a place in flight for each request that is not long-running, until it is done or another server does it. Throws 429 where there is none. */
export const withMaxInFlightLimit =
  (inFlight: InFlight): Filter =>
  async ({ state: { exchange } }, next) => {
    if (exchange.longRunning) return next()
    exchange.place = inFlight.enter(exchange.info, exchange.user, exchange.receivedAt)
    try {
      await next()
    } finally {
      exchange.leavePlace()
    }
  }

/** The highest count of the last second. */
class Watermark {
  current = 0
  private peak = 0
  private second = 0

  enter(now: number): void {
    this.current++
    const second = Math.floor(now / 1000)
    if (second !== this.second) {
      this.second = second
      this.peak = this.current
    } else if (this.current > this.peak) this.peak = this.current
  }

  leave(): void {
    this.current--
  }

  highest(now: number): number {
    return Math.floor(now / 1000) - this.second <= 1 ? Math.max(this.peak, this.current) : this.current
  }
}

/** Bounds how many requests that read, and how many that write, are worked on at once. 0: no bound. */
export class InFlight {
  readonly readOnly = new Watermark()
  readonly mutating = new Watermark()
  private readonly maxReadOnly: number
  private readonly maxMutating: number

  constructor(maxReadOnly: number, maxMutating: number) {
    this.maxReadOnly = maxReadOnly
    this.maxMutating = maxMutating
  }

  /** Takes a place, and gives what to leave it with. Throws 429 where there is none; system:masters always get in. */
  enter(info: RequestInfo, user: User, now: number): Watermark {
    const reads = info.verb === 'get' || info.verb === 'list' || info.verb === 'watch'
    const mark = reads ? this.readOnly : this.mutating
    const max = reads ? this.maxReadOnly : this.maxMutating
    if (max > 0 && mark.current >= max && !isMaster(user)) throw full()
    mark.enter(now)
    return mark
  }
}

const full = (): StatusError => tooManyRequestsError('Too many requests, please try again later.', 1)
