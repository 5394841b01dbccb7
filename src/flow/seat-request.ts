import type { RequestInfo, User } from '../meta/context.ts'
import type { FlowMeters } from './flow-metrics.ts'
import type { Queue } from './queue.ts'
import { durationPerSeat, type SeatSeconds, seatsTimesDuration } from './seat-seconds.ts'
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
  /** Told once, where the request waits, whether it has got seats. It must not call the level. */
  decided: ((execute: boolean) => void) | undefined
  state: 'waiting' | 'executing' | 'rejected' | 'done' = 'waiting'
  /** Milliseconds of the flow clock. */
  readonly arrivedAt: number
  startedAt: number | undefined
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
