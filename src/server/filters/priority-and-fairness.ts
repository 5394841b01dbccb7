import type { FlowControl } from '../../flow/flow-control.ts'
import type { FlowLimits } from '../../flow/flow-limits.ts'
import type { FlowMetrics } from '../../flow/flow-metrics.ts'
import type { SeatRequest } from '../../flow/queued-requests.ts'
import type { WhyStep } from '../../meta/why.ts'
import type { HttpExchange } from '../http/http-exchange.ts'
import { isReadOnly, type RequestWatermarks, Watermark } from '../metrics/request-watermarks.ts'
import type { Filter, Next } from './filter.ts'
import { tooManyRequests } from './too-many-requests.ts'

/** Maximum time in a queue, regardless of the request's timeout. */
const MAX_WAIT_MS = 60_000

/** Counts of waiting and of executing requests. */
export interface RequestMarks {
  readonly waiting: RequestWatermarks
  readonly executing: RequestWatermarks
}

/** Returns the counts. `metrics`: receives them; undefined without flow control. */
export function marksOf(metrics: FlowMetrics | undefined): RequestMarks {
  const marks = (phase: 'waiting' | 'executing'): RequestWatermarks => ({
    readOnly: new Watermark(metrics?.requestsOf(phase, 'readOnly')),
    mutating: new Watermark(metrics?.requestsOf(phase, 'mutating')),
  })
  return { waiting: marks('waiting'), executing: marks('executing') }
}

/**
 * Lets a request wait for seats in the priority level of its flow schema, for up to a quarter of its timeout, and holds
 * the seats while it is served. A watch holds them until its initial events are sent. Throws 429 if the queues are full
 * or the wait was too long. Other long-running requests pass. `requestTimeoutMs`: timeout of requests without a
 * deadline.
 */
export function withPriorityAndFairness(limits: FlowLimits, marks: RequestMarks, requestTimeoutMs: number): Filter {
  const { flows } = limits
  const served = (exchange: HttpExchange, seats: SeatRequest, next: Next): Promise<void> =>
    exchange.info.verb === 'watch' ? serveWatch(exchange, seats, next) : serve(exchange, seats, next)

  const take = (exchange: HttpExchange, seats: SeatRequest): void => {
    const mark = markOf(marks.executing, exchange)
    mark.enter(Date.now(), seats.startedAt)
    exchange.why?.note(seated(seats, exchange.queuedMs))
    exchange.place = new SeatsHeld(flows, seats, mark)
  }

  const serve = async (exchange: HttpExchange, seats: SeatRequest, next: Next): Promise<void> => {
    take(exchange, seats)
    try {
      await next()
    } finally {
      exchange.leavePlace()
    }
  }

  const serveWatch = async (exchange: HttpExchange, seats: SeatRequest, next: Next): Promise<void> => {
    take(exchange, seats)
    const forget = flows.watches.register(exchange.info, exchange.query)
    try {
      await next()
    } finally {
      exchange.leavePlace()
      forget()
    }
  }

  const drop = (seats: SeatRequest): never => {
    const { level } = seats.arrival.flow
    flows.dropped.drop(level)
    throw tooManyRequests(flows.dropped.retryAfter(level))
  }

  return ({ state: { exchange } }, next) => {
    if (exchange.longRunning && exchange.info.verb !== 'watch') return next()
    const seats = flows.start(exchange)
    exchange.seats = seats
    const { flow } = seats.arrival
    exchange.setHeader('X-Kubernetes-Pf-Flowschema-Uid', flow.schemaUid)
    exchange.setHeader('X-Kubernetes-Pf-Prioritylevel-Uid', flow.levelUid)
    if (seats.state === 'executing') return served(exchange, seats, next)
    if (seats.state === 'rejected') return drop(seats)
    return waitForSeats(limits, exchange, seats, markOf(marks.waiting, exchange), requestTimeoutMs).then(execute =>
      execute ? served(exchange, seats, next) : drop(seats),
    )
  }
}

/** Resolves with whether the request got its seats. `mark` counts it while it waits. */
function waitForSeats(
  { flows, clock }: FlowLimits,
  exchange: HttpExchange,
  seats: SeatRequest,
  mark: Watermark,
  requestTimeoutMs: number,
): Promise<boolean> {
  return new Promise(resolve => {
    const { signal } = exchange
    mark.enter(Date.now())
    const giveUp = (): void => flows.giveUp(seats)
    const forgetTimer = clock.after(waitLimit(exchange, clock.now(), requestTimeoutMs), giveUp)
    seats.decided = execute => {
      forgetTimer()
      signal.removeEventListener('abort', giveUp)
      mark.leave()
      exchange.queuedMs = clock.now() - seats.arrivedAt
      resolve(execute)
    }
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp)
  })
}

/** Seats of a request that is being served. If the request is delegated to another server, they are released early. */
class SeatsHeld {
  readonly #flows: FlowControl
  readonly #seats: SeatRequest
  readonly #mark: Watermark

  constructor(flows: FlowControl, seats: SeatRequest, mark: Watermark) {
    this.#flows = flows
    this.#seats = seats
    this.#mark = mark
  }

  leave(): void {
    this.#flows.finish(this.#seats)
    this.#mark.leave()
  }
}

const seated = ({ arrival: { flow }, initialSeats }: SeatRequest, waited: number): WhyStep => ({
  step: 'priority level',
  priorityLevel: flow.level,
  flowSchema: flow.schema,
  seats: initialSeats,
  waited,
})

const markOf = ({ readOnly, mutating }: RequestWatermarks, { info }: HttpExchange): Watermark => (isReadOnly(info) ? readOnly : mutating)

/**
 * Returns the milliseconds that a request may still wait: a quarter of its timeout, counted from its receipt. Its
 * deadline is by the clock of `now`.
 */
export function waitLimit(exchange: Pick<HttpExchange, 'deadline' | 'elapsed'>, now: number, requestTimeoutMs: number): number {
  const elapsed = exchange.elapsed()
  const time = exchange.deadline === 0 ? requestTimeoutMs : exchange.deadline - now + elapsed
  return Math.max(0, Math.min(time / 4, MAX_WAIT_MS) - elapsed)
}
