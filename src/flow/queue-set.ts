import type { QueuingConfiguration } from '../api/flowcontrol/v1.types.ts'
import type { FlowClock } from './flow-clock.ts'
import type { LevelMeters } from './flow-metrics.ts'
import type { Integrator } from './integrator.ts'
import { LevelMeter } from './level-meter.ts'
import { type Arrival, ESTIMATED_SERVICE_MS, Queue, RequestList, SeatRequest } from './queued-requests.ts'
import { MAX_SEAT_SECONDS, type SeatSeconds, seatsTimesDuration } from './seat-seconds.ts'

/**
 * Queuing of a level: `exempt` requests get seats immediately; with `no queues`, requests without free seats are
 * rejected.
 */
export type Discipline = 'exempt' | 'no queues' | QueuingConfiguration

/** Limits of a level as of an adjustment. */
export interface Dispatching {
  /** Seats. */
  readonly limit: number
  /** Denominator of the utilization, greater than 0. */
  readonly denominator: number
}

/** Decrement of the progress meter when it exceeds HIGH_R. */
const R_DECREMENT = MAX_SEAT_SECONDS / 2
const HIGH_R = R_DECREMENT + R_DECREMENT / 2

/** Counters since the priority level was created. */
export interface Tally {
  dispatched: number
  rejected: number
  timedOut: number
  cancelled: number
}

/** Clock and meters. Limits are set later, and whenever they change. */
export interface QueueSetParts {
  readonly clock: FlowClock
  readonly meters: LevelMeters
  /** Demand for seats: those in use and those that requests wait for. */
  readonly demand: Integrator
}

/**
 * The seats of a priority level, and the queues of requests that wait for them: fair queuing by virtual time. Queues
 * have equal shares. R, the progress meter, is the service in seat-seconds that an active queue has received. The next
 * request is taken from the queue whose oldest request would finish first in virtual time. Queues are created on
 * demand.
 *
 * Source: pkg/util/flowcontrol/fairqueuing/queueset in k8s.io/apiserver, whose doc.go explains the algorithm.
 */
export class QueueSet {
  readonly tally: Tally = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 }
  /** Queues by index. */
  readonly queues = new Map<number, Queue>()
  /** Executing requests that did not pass a queue. */
  readonly unqueued = new RequestList()
  waiting = 0
  executing = 0
  seatsInUse = 0
  seatsWaiting = 0
  readonly #clock: FlowClock
  readonly #meter: LevelMeter
  #discipline: Discipline = 'no queues'
  #limit = 0
  #currentR: SeatSeconds = 0
  /** Time of the last update of R. */
  #syncedAt: number
  /** Number of queues with requests, and of seats in use by requests from queues. */
  #activeQueues = 0
  #queuedSeatsInUse = 0
  /** Index of the queue that was served last. */
  #robin = 0
  #enqueues = 0

  constructor({ clock, meters, demand }: QueueSetParts) {
    this.#clock = clock
    this.#meter = new LevelMeter(meters, demand)
    this.#syncedAt = clock.now()
  }

  /** Applies a configuration. Queues beyond the configured number are drained and dropped. */
  configure(discipline: Discipline, { limit, denominator }: Dispatching): void {
    this.#sync()
    this.#discipline = discipline
    this.#limit = limit
    this.#meter.configured(typeof discipline === 'object' ? Math.max(discipline.queueLengthLimit, 1) * discipline.queues : 1, denominator)
    this.#dispatchAll()
  }

  /** Whether no request waits or executes. */
  get isIdle(): boolean {
    return this.waiting === 0 && this.executing === 0
  }

  /**
   * Admits a request. `hand`: queues that its flow may use. The state of the result says whether it has seats, waits
   * for them or is rejected.
   */
  start(arrival: Arrival, hand: readonly number[]): SeatRequest {
    const now = this.#sync()
    const request = new SeatRequest(arrival, now, this.#currentR)
    const discipline = this.#discipline
    if (typeof discipline !== 'object') {
      if (discipline === 'exempt' || this.#hasRoomFor(request.maxSeats)) this.#execute(request, now)
      else this.#reject(request, 'concurrency-limit')
      return request
    }
    const queue = this.#choose(hand)
    if (this.seatsInUse >= this.#limit && queue.waiting.length >= discipline.queueLengthLimit) {
      this.#reject(request, 'queue-full')
      this.#drop(queue)
      return request
    }
    request.queue = queue
    const { meters } = arrival.flow
    meters.queueLength().observe(queue.waiting.length + 1)
    if (this.waiting === 0 && this.seatsInUse < this.#limit && this.#hasRoomFor(request.maxSeats)) {
      this.#dispatchAtOnce(queue, request, now)
      return request
    }
    this.#enqueue(queue, request, now)
    this.#dispatchAll()
    return request
  }

  /** Cancels a waiting request, whose time is over or whose client has disconnected. */
  cancel(request: SeatRequest): void {
    const { queue } = request
    if (request.state !== 'waiting' || queue === undefined) return
    const now = this.#sync()
    this.#leaveQueue(queue, request, now)
    this.tally.cancelled++
    this.#reject(request, 'time-out')
    queue.boundNextDispatch()
    this.#meter.wanted(this.seatsInUse + this.seatsWaiting, now)
    this.#settle(queue)
    request.decided?.(false)
  }

  /** Ends a request. Its seats are free now, or after its additional latency. */
  finish(request: SeatRequest): void {
    if (request.state !== 'executing') return
    const now = this.#sync()
    const { queue, additionalLatencyMs } = request
    request.state = 'done'
    request.endedAt = now
    this.executing--
    const { meters } = request.arrival.flow
    meters.executing.value--
    const executed = request.arrival.details.info.verb === 'watch' ? meters.initialized() : meters.executed
    executed.observe((now - (request.startedAt ?? now)) / 1000)
    this.#meter.executing(this.executing, now)
    if (queue === undefined) this.unqueued.remove(request)
    else {
      queue.executing.remove(request)
      // It was charged for the estimated duration. The actual one is known now.
      queue.nextDispatchR -= seatsTimesDuration(request.initialSeats, ESTIMATED_SERVICE_MS - (now - (request.startedAt ?? now)))
      queue.boundNextDispatch()
      if (!queue.isActive) this.#activeQueues--
    }
    if (additionalLatencyMs > 0)
      this.#clock.after(additionalLatencyMs, () => {
        this.#release(request, this.#sync())
        this.#dispatchAll()
      })
    else this.#release(request, now)
    if (this.waiting > 0) this.#dispatchAll()
  }

  #release(request: SeatRequest, now: number): void {
    const { queue, maxSeats, arrival } = request
    this.seatsInUse -= maxSeats
    arrival.flow.meters.seats.value -= maxSeats
    arrival.flow.meters.seatsFormerly.value -= maxSeats
    this.#noteSeats(now)
    if (queue === undefined) return
    queue.seatsInUse -= maxSeats
    this.#queuedSeatsInUse -= maxSeats
    this.#drop(queue)
  }

  /** Advances R by the time since the last update. Returns the current time. */
  #sync(): number {
    const now = this.#clock.now()
    const passed = now - this.#syncedAt
    this.#syncedAt = now
    if (passed > 0 && this.#activeQueues > 0) {
      const seats = Math.min(this.#queuedSeatsInUse + this.seatsWaiting, this.#limit) / this.#activeQueues
      this.#currentR += seatsTimesDuration(seats, passed)
      while (this.#currentR >= HIGH_R) this.#advanceEpoch()
      this.#meter.progressed(this.#currentR)
    }
    return now
  }

  /** Decrements R and all virtual times by the same amount, so that they stay exact integers. */
  #advanceEpoch(): void {
    this.#currentR -= R_DECREMENT
    for (const queue of this.queues.values()) {
      queue.nextDispatchR -= R_DECREMENT
      for (const request of queue.waiting) request.arrivalR -= R_DECREMENT
    }
    this.#meter.epochAdvanced()
  }

  /**
   * Returns the queue of the hand with the least waiting work. Of several, the choice rotates, so that flows with
   * overlapping hands do not crowd.
   */
  #choose(hand: readonly number[]): Queue {
    const offset = this.#enqueues++ % hand.length
    let best = hand[offset] ?? 0
    let least = MAX_SEAT_SECONDS
    for (let i = 0; i < hand.length && least > 0; i++) {
      const index = hand[(offset + i) % hand.length] ?? 0
      const work = this.queues.get(index)?.workWaiting ?? 0
      if (work >= least) continue
      least = work
      best = index
    }
    let queue = this.queues.get(best)
    if (queue === undefined) {
      queue = new Queue(best, this.#currentR)
      this.queues.set(best, queue)
    }
    return queue
  }

  /** Drops an idle queue if there are many or its index is beyond the configured number. */
  #drop(queue: Queue): void {
    if (queue.isActive || queue.seatsInUse > 0) return
    const { queues } = this
    const discipline = this.#discipline
    if (queues.size > KEPT_QUEUES || typeof discipline !== 'object' || queue.index >= discipline.queues) queues.delete(queue.index)
  }

  /** Starts the virtual time of a queue that was idle at the present R. */
  #activate(queue: Queue): void {
    if (queue.isActive) return
    queue.nextDispatchR = this.#currentR
    this.#activeQueues++
  }

  /** Ends the activity of a queue without requests. */
  #settle(queue: Queue): void {
    if (queue.isActive) return
    this.#activeQueues--
    this.#drop(queue)
  }

  /** The caller has checked that the queue has room, and dispatches what can run afterwards. */
  #enqueue(queue: Queue, request: SeatRequest, now: number): void {
    this.#activate(queue)
    queue.enqueue(request)
    queue.boundNextDispatch()
    this.waiting++
    this.seatsWaiting += request.maxSeats
    const { meters } = request.arrival.flow
    meters.queued.value++
    meters.queuedSeats.value += request.maxSeats
    this.#meter.waiting(this.waiting, now)
    this.#meter.wanted(this.seatsInUse + this.seatsWaiting, now)
  }

  #leaveQueue(queue: Queue, request: SeatRequest, now: number): void {
    queue.dequeue(request)
    this.waiting--
    this.seatsWaiting -= request.maxSeats
    const { meters } = request.arrival.flow
    meters.queued.value--
    meters.queuedSeats.value -= request.maxSeats
    this.#meter.waiting(this.waiting, now)
  }

  /** Dispatches a request that does not have to wait. */
  #dispatchAtOnce(queue: Queue, request: SeatRequest, now: number): void {
    this.#activate(queue)
    if (queue.nextDispatchR < request.arrivalR) queue.nextDispatchR = request.arrivalR
    this.#meter.dispatchedAtOnce(queue, this.#currentR)
    this.#robin = queue.index
    this.#serve(queue, request, now)
  }

  /** Charges the estimated work to the queue, and executes the request. */
  #serve(queue: Queue, request: SeatRequest, now: number): void {
    request.cutFinalSeats(this.#limit)
    queue.nextDispatchR += request.totalWork
    queue.seatsInUse += request.maxSeats
    this.#queuedSeatsInUse += request.maxSeats
    this.#execute(request, now)
  }

  /**
   * Takes the seats of the larger phase at once. The request has passed a queue, or none if its level has no queues.
   */
  #execute(request: SeatRequest, now: number): void {
    const { queue, arrival, maxSeats } = request
    request.state = 'executing'
    request.startedAt = now
    ;(queue?.executing ?? this.unqueued).add(request)
    this.executing++
    this.seatsInUse += maxSeats
    this.tally.dispatched++
    const { meters } = arrival.flow
    if (this.#discipline !== 'exempt') meters.waited.observe((now - request.arrivedAt) / 1000)
    meters.dispatched.value++
    meters.executing.value++
    meters.seats.value += maxSeats
    meters.seatsFormerly.value += maxSeats
    this.#meter.executing(this.executing, now)
    this.#noteSeats(now)
  }

  #reject(request: SeatRequest, reason: 'concurrency-limit' | 'queue-full' | 'time-out'): void {
    request.state = 'rejected'
    this.tally.rejected++
    const { meters } = request.arrival.flow
    meters.rejected(reason).value++
    meters.waitedInVain().observe((this.#syncedAt - request.arrivedAt) / 1000)
  }

  #hasRoomFor(seats: number): boolean {
    // A request that is wider than the level executes alone.
    if (seats > this.#limit) return this.executing === 0
    return this.seatsInUse + seats <= this.#limit
  }

  #dispatchAll(): void {
    while (this.waiting > 0 && this.seatsInUse < this.#limit && this.#dispatchNext());
  }

  /**
   * Dispatches the oldest request of the next queue. Returns false if it does not fit: other requests do not overtake
   * it.
   */
  #dispatchNext(): boolean {
    const queue = this.#nextQueue()
    const request = queue?.waiting.first
    if (queue === undefined || request === undefined) return false
    if (!this.#hasRoomFor(request.maxSeats)) {
      request.arrival.flow.meters.noAccommodation().value++
      return false
    }
    const now = this.#syncedAt
    this.#robin = queue.index
    this.#meter.dispatchedAmong(this.queues.values(), queue, this.#currentR)
    this.#leaveQueue(queue, request, now)
    this.#serve(queue, request, now)
    queue.boundNextDispatch()
    request.decided?.(true)
    return true
  }

  /** Returns the queue that finishes first. Of several, the next one behind the queue that was served last. */
  #nextQueue(): Queue | undefined {
    const robin = this.#robin
    let queue: Queue | undefined
    let finish = MAX_SEAT_SECONDS
    let distance = 0
    for (const each of this.queues.values()) {
      const { virtualFinish } = each
      if (each.waiting.length === 0 || virtualFinish > finish) continue
      const behind = each.index > robin ? each.index - robin : each.index - robin + MAX_QUEUES
      if (virtualFinish === finish && behind > distance) continue
      finish = virtualFinish
      distance = behind
      queue = each
    }
    return queue
  }

  #noteSeats(now: number): void {
    this.#meter.seats(this.seatsInUse, this.seatsInUse + this.seatsWaiting, now)
  }
}

/** Exceeds the maximum number of queues of a level. */
const MAX_QUEUES = 2 ** 27
/** Idle queues that are kept: creating a queue for each request would dominate its cost. */
const KEPT_QUEUES = 256
