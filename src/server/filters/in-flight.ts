import { isMaster } from '../../meta/authorizer.ts'
import type { RequestInfo, User } from '../../meta/context.ts'
import { isReadOnly, type RequestWatermarks, Watermark } from '../metrics/request-watermarks.ts'
import type { Filter } from './filter.ts'
import { tooManyRequests } from './too-many-requests.ts'

/**
 * Holds an in-flight slot for each request that is not long-running, until it is complete or another server serves it.
 * Throws 429 if there is none.
 */
export const withMaxInFlightLimit =
  (inFlight: InFlight): Filter =>
  async ({ state: { exchange } }, next) => {
    if (exchange.longRunning) return next()
    exchange.place = inFlight.enter(exchange.info, exchange.user, Date.now())
    try {
      await next()
    } finally {
      exchange.leavePlace()
    }
  }

/** Limits the requests that read and those that write separately. 0: no limit. */
export class InFlight implements RequestWatermarks {
  readonly readOnly = new Watermark()
  readonly mutating = new Watermark()
  readonly #maxReadOnly: number
  readonly #maxMutating: number

  constructor(maxReadOnly: number, maxMutating: number) {
    this.#maxReadOnly = maxReadOnly
    this.#maxMutating = maxMutating
  }

  /** Takes a slot. The caller releases it by `leave`. Throws 429 if there is none; system:masters always get one. */
  enter(info: RequestInfo, user: User, now: number): Watermark {
    const reads = isReadOnly(info)
    const mark = reads ? this.readOnly : this.mutating
    const max = reads ? this.#maxReadOnly : this.#maxMutating
    if (max > 0 && mark.current >= max && !isMaster(user)) throw tooManyRequests()
    mark.enter(now)
    return mark
  }
}
