import type { TimerClock } from './clock.ts'
import type { HistogramChild, NumberChild } from './metrics.ts'

/** Keys with the time at which they were added, in milliseconds of the steady clock. */
export type Since = ReadonlyMap<string, number>

/** Metrics and scheduling shared by the work queues of one name. */
export interface QueueMeter {
  readonly adds: NumberChild
  readonly retries: NumberChild
  /** Histograms in seconds: time in the queue, and processing time. */
  readonly waited: HistogramChild
  readonly worked: HistogramChild
  /** Clock for delays between retries. */
  readonly pauses: TimerClock
  /** Whether keys wait until the meter's owner begins them. */
  readonly isHeld: () => boolean
  /** Registers a queue. @param begin starts processing a waiting key. */
  follow(waiting: Since, running: Since, begin: (key: string) => void): void
}

/** Meters of the work queues of a server, by upstream's names of the queues. */
export interface QueueMeters {
  /** Clock of delays that must pass although the clock of the API may stand still. */
  readonly pauses: TimerClock
  meter(name: string): QueueMeter
}
