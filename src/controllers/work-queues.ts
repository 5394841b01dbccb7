import { systemClock, type TimerClock } from '../lib/clock.ts'
import { CounterFamily, HistogramFamily, type MetricFamily } from '../lib/metrics.ts'
import { type Polled, PolledFamily } from '../lib/polled-family.ts'
import type { QueueMeter, QueueMeters, Since } from '../lib/queue-meter.ts'

/** Histogram buckets in seconds: powers of ten from 10 ns. */
const BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10]
const LABELS = ['name'] as const

interface Followed extends QueueMeter {
  readonly waiting: Since
  readonly running: Since
  readonly begin: (key: string) => void
}

const NOTHING: Since = new Map()

/**
 * Work queues of a server's controllers. Reports upstream's metrics (k8s.io/component-base,
 * metrics/prometheus/workqueue). A simulation can hold the queues and process keys one by one.
 */
export class WorkQueues implements QueueMeters {
  /** Clock for controller delays, between retries and until other servers have settled. */
  readonly pauses: TimerClock
  readonly #meters = new Map<string, Followed>()
  #held = false
  readonly #adds = new CounterFamily({
    name: 'workqueue_adds_total',
    help: 'Total number of adds handled by workqueue',
    stability: 'ALPHA',
    labels: LABELS,
  })
  readonly #retries = new CounterFamily({
    name: 'workqueue_retries_total',
    help: 'Total number of retries handled by workqueue',
    stability: 'ALPHA',
    labels: LABELS,
  })
  readonly #waits = new HistogramFamily({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long in seconds an item stays in workqueue before being requested.',
    stability: 'ALPHA',
    labels: LABELS,
    buckets: BUCKETS,
  })
  readonly #work = new HistogramFamily({
    name: 'workqueue_work_duration_seconds',
    help: 'How long in seconds processing an item from workqueue takes.',
    stability: 'ALPHA',
    labels: LABELS,
    buckets: BUCKETS,
  })

  constructor(pauses: TimerClock = systemClock) {
    this.pauses = pauses
  }

  /** Whether no key is being processed. */
  get isAtRest(): boolean {
    for (const { running } of this.#meters.values()) if (running.size > 0) return false
    return true
  }

  /** Whether no key is being processed, and none is waiting. */
  get isIdle(): boolean {
    for (const { running, waiting } of this.#meters.values()) if (running.size > 0 || waiting.size > 0) return false
    return true
  }

  /** Stops automatic processing: keys wait for `workOnNext`. */
  hold(): void {
    this.#held = true
  }

  /** Starts processing the first waiting key, ordered by queue name and key. Returns false if none is waiting. */
  workOnNext(): boolean {
    for (const name of [...this.#meters.keys()].toSorted()) {
      const meter = this.#meters.get(name)
      const [key] = [...(meter?.waiting.keys() ?? [])].filter(each => !meter?.running.has(each)).toSorted()
      if (key === undefined) continue
      meter?.begin(key)
      return true
    }
    return false
  }

  /** Returns the meter of a queue. @param name upstream's name of the queue if it has one. */
  meter(name: string): QueueMeter {
    const known = this.#meters.get(name)
    if (known) return known
    const meter = {
      pauses: this.pauses,
      adds: this.#adds.child(name),
      retries: this.#retries.child(name),
      waited: this.#waits.child(name),
      worked: this.#work.child(name),
      isHeld: () => this.#held,
      waiting: NOTHING,
      running: NOTHING,
      begin: (_key: string): void => {},
      follow(waiting: Since, running: Since, begin: (key: string) => void) {
        meter.waiting = waiting
        meter.running = running
        meter.begin = begin
      },
    }
    this.#meters.set(name, meter)
    return meter
  }

  /** Metrics of all queues. */
  families(): MetricFamily[] {
    const gauge = (name: string, help: string, of: (meter: Followed) => number): MetricFamily =>
      new PolledFamily('gauge', { name, help, stability: 'ALPHA', labels: LABELS }, () =>
        Array.from(this.#meters, ([queue, meter]): Polled => [[queue], of(meter)]),
      )
    return [
      this.#adds,
      gauge('workqueue_depth', 'Current depth of workqueue', ({ waiting }) => waiting.size),
      gauge(
        'workqueue_longest_running_processor_seconds',
        'How many seconds has the longest running processor for workqueue been running.',
        ({ running }) => Math.max(0, ...ages(running)),
      ),
      this.#waits,
      this.#retries,
      gauge(
        'workqueue_unfinished_work_seconds',
        "How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
        ({ running }) => ages(running).reduce((sum, age) => sum + age, 0),
      ),
      this.#work,
    ]
  }
}

/** Ages of keys in seconds. */
function ages(since: Since): number[] {
  const now = performance.now()
  return Array.from(since.values(), begun => (now - begun) / 1000)
}
