import type { LevelMeters } from './flow-metrics.ts'
import type { Integrator } from './integrator.ts'
import { ESTIMATED_SERVICE_MS, type Queue } from './queued-requests.ts'
import { type SeatSeconds, seatSecondsToFloat, seatsTimesDuration } from './seat-seconds.ts'

/** Reports the events of a level's queues to its metrics and its demand. Times are those of the flow clock. */
export class LevelMeter {
  readonly #meters: LevelMeters
  readonly #demand: Integrator

  constructor(meters: LevelMeters, demand: Integrator) {
    this.#meters = meters
    this.#demand = demand
  }

  /** `places`: number of requests that may wait. `denominator`: denominator of the utilization in seats. */
  configured(places: number, denominator: number): void {
    const { waiting, executing, seats } = this.#meters
    waiting.setDenominator(places)
    executing.setDenominator(denominator)
    seats.setDenominator(denominator)
  }

  waiting(requests: number, now: number): void {
    this.#meters.waiting.set(requests, now)
  }

  executing(requests: number, now: number): void {
    this.#meters.executing.set(requests, now)
  }

  /** `inUse`: seats in use. `wanted`: seats in use and seats that are waited for. */
  seats(inUse: number, wanted: number, now: number): void {
    this.#meters.seats.set(inUse, now)
    this.wanted(wanted, now)
  }

  wanted(seats: number, now: number): void {
    this.#demand.set(seats, now)
    this.#meters.demand.set(seats, now)
  }

  /** Reports the progress meter R. */
  progressed(currentR: SeatSeconds): void {
    this.#meters.currentR.value = seatSecondsToFloat(currentR)
  }

  epochAdvanced(): void {
    this.#meters.epochAdvanced(true)
  }

  /** Reports a dispatch from the only queue with a request. */
  dispatchedAtOnce({ nextDispatchR, seatsInUse }: Queue, currentR: SeatSeconds): void {
    const next = seatSecondsToFloat(nextDispatchR)
    const discounted = next - seatSecondsToFloat(seatsTimesDuration(seatsInUse, ESTIMATED_SERVICE_MS))
    this.#dispatched(currentR, next)
    this.#bounds(next, next, discounted, discounted)
  }

  /** Reports a dispatch from one of several queues. */
  dispatchedAmong(queues: Iterable<Queue>, served: Queue, currentR: SeatSeconds): void {
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    let [discountedMin, discountedMax] = [min, max]
    for (const { waiting, nextDispatchR, seatsInUse } of queues) {
      if (waiting.length === 0) continue
      const discounted = nextDispatchR - seatsTimesDuration(seatsInUse, ESTIMATED_SERVICE_MS)
      min = Math.min(min, nextDispatchR)
      max = Math.max(max, nextDispatchR)
      discountedMin = Math.min(discountedMin, discounted)
      discountedMax = Math.max(discountedMax, discounted)
    }
    const float = seatSecondsToFloat
    this.#dispatched(currentR, float(served.nextDispatchR))
    this.#bounds(float(min), float(max), float(discountedMin), float(discountedMax))
  }

  #dispatched(currentR: SeatSeconds, s: number): void {
    const { r, s: latest } = this.#meters.dispatch()
    r.value = seatSecondsToFloat(currentR)
    latest.value = s
  }

  #bounds(min: number, max: number, discountedMin: number, discountedMax: number): void {
    const { bounds, discounted } = this.#meters.dispatch()
    bounds.min.value = min
    bounds.max.value = max
    discounted.min.value = discountedMin
    discounted.max.value = discountedMax
  }
}
