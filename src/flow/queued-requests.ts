import type { RequestInfo, User } from '../meta/context.ts'
import type { FlowMeters } from './flow-metrics.ts'
import { durationPerSeat, MAX_SEAT_SECONDS, type SeatSeconds, seatsTimesDuration } from './seat-seconds.ts'
import { maxSeatsOf, type WorkEstimate } from './work-estimate.ts'

/** Expected duration of a request in milliseconds. */
export const ESTIMATED_SERVICE_MS = 3

/** Properties that all requests of a flow schema share. */
export interface FlowOfRequest {
  readonly schema: string
  /** Empty if the object does not exist yet. */
  readonly schemaUid: string
  /** Name of the priority level. */
  readonly level: string
  /** Empty if the object does not exist yet. */
  readonly levelUid: string
  /** Metrics of the schema in its level. */
  readonly meters: FlowMeters
}

/** User and operation of a request, for the debugging endpoints. */
export interface RequestDetails {
  /** User after impersonation. */
  readonly user: User
  /** Operation as it was authorized. */
  readonly info: RequestInfo
}

/** A request that arrives at a priority level. */
export interface Arrival {
  /** Schema and level of the request. */
  readonly flow: FlowOfRequest
  /** Value by which the flow schema distinguishes flows: user, namespace, or empty. */
  readonly distinguisher: string
  /** Seats and time that the request is expected to occupy. */
  readonly estimate: WorkEstimate
  readonly details: RequestDetails
}

/** A request in a priority level: it waits, executes, or is over. */
export class SeatRequest {
  readonly arrival: Arrival
  /** Seats while the request is served. */
  readonly initialSeats: number
  /** Seats after it was served, while watchers are notified of its change. 0 for a read. */
  finalSeats: number
  /** Time for which the final seats are occupied, in milliseconds. */
  additionalLatencyMs: number
  /** Maximum seats of its phases, which it occupies throughout. */
  maxSeats: number
  /** Work of both phases. */
  readonly totalWork: SeatSeconds
  /** Called once for a request that waits, with whether it has seats. Must not call the level. */
  decided: ((execute: boolean) => void) | undefined
  /** A rejected request never executes. `done` follows `executing`. */
  state: 'waiting' | 'executing' | 'rejected' | 'done' = 'waiting'
  /** Milliseconds of the flow clock. */
  readonly arrivedAt: number
  /** Time at which it got its seats. Undefined while it waits. */
  startedAt: number | undefined
  /** Time at which it was served, or a watch's initial events were sent. */
  endedAt: number | undefined
  /** Value of the progress meter R at its arrival. */
  arrivalR: SeatSeconds
  /** Undefined if it did not pass a queue. */
  queue: Queue | undefined
  /** Neighbours in its list. */
  before: SeatRequest | undefined
  after: SeatRequest | undefined

  constructor(arrival: Arrival, arrivedAt: number, arrivalR: SeatSeconds) {
    const { estimate } = arrival
    this.arrival = arrival
    this.initialSeats = estimate.initialSeats
    this.finalSeats = estimate.finalSeats
    this.additionalLatencyMs = estimate.additionalLatencyMs
    this.maxSeats = maxSeatsOf(estimate)
    this.totalWork =
      seatsTimesDuration(estimate.initialSeats, ESTIMATED_SERVICE_MS) +
      seatsTimesDuration(estimate.finalSeats, estimate.additionalLatencyMs)
    this.arrivedAt = arrivedAt
    this.arrivalR = arrivalR
  }

  /** Limits the final seats to the level's limit: the same work takes longer. */
  cutFinalSeats(limit: number): void {
    if (this.finalSeats <= limit) return
    this.additionalLatencyMs = durationPerSeat(seatsTimesDuration(this.finalSeats, this.additionalLatencyMs), limit)
    this.finalSeats = limit
    this.maxSeats = Math.max(this.initialSeats, limit)
  }
}

/** Requests in order of arrival. A request is in at most one list, from which it is removed in constant time. */
export class RequestList {
  /** Oldest request. Undefined if the list is empty. */
  first: SeatRequest | undefined
  #last: SeatRequest | undefined
  /** Number of requests in the list. */
  length = 0

  /** Appends a request, which must not be in a list. */
  add(request: SeatRequest): void {
    request.before = this.#last
    request.after = undefined
    if (this.#last === undefined) this.first = request
    else this.#last.after = request
    this.#last = request
    this.length++
  }

  /** Removes a request, which must be in this list. */
  remove(request: SeatRequest): void {
    const { before, after } = request
    if (before === undefined) this.first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    request.before = undefined
    request.after = undefined
    this.length--
  }

  /** Yields requests in order of arrival. Removing the current one ends the loop. */
  *[Symbol.iterator](): Generator<SeatRequest, void> {
    for (let request = this.first; request !== undefined; request = request.after) yield request
  }
}

/** Waiting and executing requests of a queue. */
export class Queue {
  /** Index of the queue in its priority level. */
  readonly index: number
  /** Requests that wait, in order of arrival. */
  readonly waiting = new RequestList()
  /** Requests that execute, in the order in which they began. */
  readonly executing = new RequestList()
  /** Seats of executing requests, and of finished ones during their additional latency. */
  seatsInUse = 0
  /** Sums over the waiting requests. */
  initialSeatsWaiting = 0
  /** Sum of `maxSeats`. */
  maxSeatsWaiting = 0
  /** Sum of `totalWork`. */
  workWaiting: SeatSeconds = 0
  /** Virtual start of the next request, by the progress meter R. */
  nextDispatchR: SeatSeconds

  constructor(index: number, currentR: SeatSeconds) {
    this.index = index
    this.nextDispatchR = currentR
  }

  /** Whether the queue shares the seats: whether it has requests. */
  get isActive(): boolean {
    return this.waiting.length > 0 || this.executing.length > 0
  }

  /** Adds a waiting request, and its seats and work to the sums. */
  enqueue(request: SeatRequest): void {
    this.waiting.add(request)
    this.initialSeatsWaiting += request.initialSeats
    this.maxSeatsWaiting += request.maxSeats
    this.workWaiting += request.totalWork
  }

  /** Removes a waiting request, and its seats and work from the sums. */
  dequeue(request: SeatRequest): void {
    this.waiting.remove(request)
    this.initialSeatsWaiting -= request.initialSeats
    this.maxSeatsWaiting -= request.maxSeats
    this.workWaiting -= request.totalWork
  }

  /**
   * Limits the virtual start to the arrival of the next request: a queue that uses less than its share does not save it
   * up.
   */
  boundNextDispatch(): void {
    const oldest = this.waiting.first
    if (oldest !== undefined && this.nextDispatchR < oldest.arrivalR) this.nextDispatchR = oldest.arrivalR
  }

  /** Virtual finish of the oldest waiting request. */
  get virtualFinish(): SeatSeconds {
    return this.waiting.first === undefined ? MAX_SEAT_SECONDS : this.nextDispatchR + this.waiting.first.totalWork
  }
}
