import { steadyClock } from '../../lib/clock.ts'
import { parseMilliseconds } from '../../lib/duration.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { badRequestError } from '../../meta/status.ts'
import { DeadlineError } from '../http/deadline-error.ts'
import type { HttpExchange } from '../http/http-exchange.ts'
import type { Filter } from './filter.ts'

/** A shorter timeout leaves no time to do anything: the request is refused. */
const SHORTEST_MS = 1

/** How often deadlines are checked. One timer for all requests is cheaper than a timer for each. */
const SWEEP_MS = 100

/**
 * Sets the deadline of a request that is not long-running: the server's, or an earlier one that the client requests by
 * `?timeout=10s`. Throws 400 if that is invalid, and 504 if it leaves no time.
 */
export const withRequestDeadline =
  (deadlines: Deadlines, maximumMs: number): Filter =>
  ({ state: { exchange } }, next) => {
    if (!exchange.longRunning) {
      exchange.deadline = steadyClock.now() + timeoutOf(exchange, maximumMs)
      deadlines.watch()
    }
    return next()
  }

/**
 * Returns the timeout of a request in milliseconds: that of the query if it is shorter than the maximum. Throws 400,
 * and 504 for a timeout that is too short to do anything.
 */
function timeoutOf(exchange: HttpExchange, maximumMs: number): number {
  if (exchange.search.includes('timeout=')) {
    const asked = exchange.query.get('timeout')
    if (asked !== null && asked !== '') {
      const ms = parseTimeout(asked)
      if (ms > 0 && ms < SHORTEST_MS) throw new DeadlineError()
      if (ms > 0 && ms < maximumMs) return ms
    }
  }
  return maximumMs
}

function parseTimeout(text: string): number {
  try {
    return parseMilliseconds(text)
  } catch (error) {
    throw badRequestError(`invalid timeout specified in the request URL - ${errorMessage(error)}`)
  }
}

/**
 * Enforces the deadlines of the requests in a set. When a deadline passes, the request's work is aborted. If that leads
 * to no response by the next check, 504 is sent here. A response that is still being sent by then, to a client that
 * does not read or reads slowly, is cut off, as in kube-apiserver.
 */
export class Deadlines {
  readonly #open: ReadonlySet<HttpExchange>
  #timer: NodeJS.Timeout | undefined

  constructor(open: ReadonlySet<HttpExchange>) {
    this.#open = open
  }

  /** Starts the checks. Called when a request with a deadline was added to the set. */
  watch(): void {
    this.#timer ??= setInterval(() => this.#sweep(steadyClock.now()), SWEEP_MS).unref()
  }

  /** Checks all deadlines once. Stops the timer if no request has one. */
  #sweep(now: number): void {
    let waiting = false
    for (const exchange of this.#open) {
      if (exchange.deadline === 0) continue
      waiting = true
      if (now < exchange.deadline) continue
      if (exchange.answered) {
        if (!exchange.res.writableEnded) exchange.destroy()
      } else if (exchange.isAborted) void exchange.sendStatusError(new DeadlineError())
      else exchange.abort(new DeadlineError())
    }
    if (waiting) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
