import type { RequestInfo, User } from '../meta/context.ts'
import type { FlowMeters } from './flow-metrics.ts'
import { durationPerSeat, MAX_SEAT_SECONDS, type SeatSeconds, seatsTimesDuration } from './seat-seconds.ts'
import { maxSeatsOf, type WorkEstimate } from './work-estimate.ts'

/** Milliseconds that a request is expected to take. */
export const ESTIMATED_SERVICE_MS = 3

/** What the requests of one flow schema have in common. */
export interface FlowOfRequest {
  readonly schema: string
  /** Empty where the object does not exist yet. */
  readonly schemaUid: string
  readonly level: string
  readonly levelUid: string
  readonly meters: FlowMeters
}

/** Whose request it is, for the debugging endpoints. */
export interface RequestDetails {
  readonly user: User
  readonly info: RequestInfo
}

export interface Arrival {
  readonly flow: FlowOfRequest
  readonly distinguisher: string
  readonly estimate: WorkEstimate
  readonly details: RequestDetails
}

/** A request that came to a priority level: it waits, has seats, or had them. */
export class SeatRequest {
  readonly arrival: Arrival
  readonly initialSeats: number
  finalSeats: number
  additionalLatencyMs: number
  /** What it occupies throughout. */
  maxSeats: number
  /** Of both phases. */
  readonly totalWork: SeatSeconds
  /** Called once, where the request waits, with whether it has got seats. It must not call the level. */
  decided: ((execute: boolean) => void) | undefined
  state: 'waiting' | 'executing' | 'rejected' | 'done' = 'waiting'
  /** Milliseconds of the flow clock. */
  readonly arrivedAt: number
  startedAt: number | undefined
  /** It has been served; a watch has got what it begins with. */
  endedAt: number | undefined
  arrivalR: SeatSeconds
  /** Absent where it did not go through one. */
  queue: Queue | undefined
  /** Its neighbours in the list that it is in. */
  before: SeatRequest | undefined
  after: SeatRequest | undefined

  constructor(arrival: Arrival, arrivedAt: number, arrivalR: SeatSeconds) {
    const { estimate } = arrival
    this.arrival = arrival
    this.initialSeats = estimate.initialSeats
    this.finalSeats = estimate.finalSeats
    this.additionalLatencyMs = estimate.additionalLatencyMs
    this.maxSeats = maxSeatsOf(estimate)
    this.totalWork = seatsTimesDuration(estimate.initialSeats, ESTIMATED_SERVICE_MS) + seatsTimesDuration(estimate.finalSeats, estimate.additionalLatencyMs)
    this.arrivedAt = arrivedAt
    this.arrivalR = arrivalR
  }

  /** No more seats afterwards than the level has: the same work takes longer. */
  cutFinalSeats(limit: number): void {
    if (this.finalSeats <= limit) return
    this.additionalLatencyMs = durationPerSeat(seatsTimesDuration(this.finalSeats, this.additionalLatencyMs), limit)
    this.finalSeats = limit
    this.maxSeats = Math.max(this.initialSeats, limit)
  }
}

/** Requests in the order in which they came. A request is in one list at a time, and leaves from anywhere at no cost. */
export class RequestList {
  first: SeatRequest | undefined
  private last: SeatRequest | undefined
  length = 0

  add(request: SeatRequest): void {
    request.before = this.last
    request.after = undefined
    if (this.last === undefined) this.first = request
    else this.last.after = request
    this.last = request
    this.length++
  }

  remove(request: SeatRequest): void {
    const { before, after } = request
    if (before === undefined) this.first = after
    else before.after = after
    if (after === undefined) this.last = before
    else after.before = before
    request.before = undefined
    request.after = undefined
    this.length--
  }

  *[Symbol.iterator](): Generator<SeatRequest, void> {
    for (let request = this.first; request !== undefined; request = request.after) yield request
  }
}

/** The requests of one queue that wait or are served. */
export class Queue {
  readonly index: number
  readonly waiting = new RequestList()
  readonly executing = new RequestList()
  /** Of requests that are served, or have been and are still worked on. */
  seatsInUse = 0
  /** Sums over those that wait. */
  initialSeatsWaiting = 0
  maxSeatsWaiting = 0
  workWaiting: SeatSeconds = 0
  /** When, by the progress meter R, the next request begins in the virtual world. */
  nextDispatchR: SeatSeconds

  constructor(index: number, currentR: SeatSeconds) {
    this.index = index
    this.nextDispatchR = currentR
  }

  /** It takes part in the sharing of seats. */
  get isActive(): boolean {
    return this.waiting.length > 0 || this.executing.length > 0
  }

  enqueue(request: SeatRequest): void {
    this.waiting.add(request)
    this.initialSeatsWaiting += request.initialSeats
    this.maxSeatsWaiting += request.maxSeats
    this.workWaiting += request.totalWork
  }

  dequeue(request: SeatRequest): void {
    this.waiting.remove(request)
    this.initialSeatsWaiting -= request.initialSeats
    this.maxSeatsWaiting -= request.maxSeats
    this.workWaiting -= request.totalWork
  }

  /** No request begins before it came, also in the virtual world: a queue that uses less than its share does not save it up. */
  boundNextDispatch(): void {
    const oldest = this.waiting.first
    if (oldest !== undefined && this.nextDispatchR < oldest.arrivalR) this.nextDispatchR = oldest.arrivalR
  }

  /** When its oldest request would be done. */
  get virtualFinish(): SeatSeconds {
    return this.waiting.first === undefined ? MAX_SEAT_SECONDS : this.nextDispatchR + this.waiting.first.totalWork
  }
}
