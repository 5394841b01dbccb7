import type { SeatRequest } from './seat-request.ts'
import { MAX_SEAT_SECONDS, type SeatSeconds } from './seat-seconds.ts'

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
