import { CounterFamily, type HistogramChild, HistogramFamily, type MetricFamily, type NumberChild } from '../lib/metrics.ts'
import { type Polled, PolledFamily } from '../lib/polled-family.ts'

/** Seconds: 10 ns, each ten times the one before. */
const BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10]
const LABELS = ['name'] as const

/** Keys with the time since which they are there, in milliseconds of the steady clock. */
export type Since = ReadonlyMap<string, number>

/** What is counted of the work queues of one name. */
export interface QueueMeter {
  readonly adds: NumberChild
  readonly retries: NumberChild
  /** Seconds until work on a key began, and that it took. */
  readonly waited: HistogramChild
  readonly worked: HistogramChild
  /** A queue begins: what waits in it, and what is being worked on. */
  follow(waiting: Since, running: Since): void
}

interface Followed extends QueueMeter {
  readonly waiting: Since
  readonly running: Since
}

const NOTHING: Since = new Map()

/** Upstream's families of work queues. Source: k8s.io/component-base, metrics/prometheus/workqueue. */
export class WorkQueueMetrics {
  private readonly meters = new Map<string, Followed>()
  private readonly adds = new CounterFamily({
    name: 'workqueue_adds_total',
    help: 'Total number of adds handled by workqueue',
    stability: 'ALPHA',
    labels: LABELS,
  })
  private readonly retries = new CounterFamily({
    name: 'workqueue_retries_total',
    help: 'Total number of retries handled by workqueue',
    stability: 'ALPHA',
    labels: LABELS,
  })
  private readonly waits = new HistogramFamily({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long in seconds an item stays in workqueue before being requested.',
    stability: 'ALPHA',
    labels: LABELS,
    buckets: BUCKETS,
  })
  private readonly work = new HistogramFamily({
    name: 'workqueue_work_duration_seconds',
    help: 'How long in seconds processing an item from workqueue takes.',
    stability: 'ALPHA',
    labels: LABELS,
    buckets: BUCKETS,
  })

  /** By upstream's name of the queue, where there is such. */
  meter(name: string): QueueMeter {
    const known = this.meters.get(name)
    if (known) return known
    const meter = {
      adds: this.adds.child(name),
      retries: this.retries.child(name),
      waited: this.waits.child(name),
      worked: this.work.child(name),
      waiting: NOTHING,
      running: NOTHING,
      follow(waiting: Since, running: Since) {
        meter.waiting = waiting
        meter.running = running
      },
    }
    this.meters.set(name, meter)
    return meter
  }

  families(): MetricFamily[] {
    const gauge = (name: string, help: string, of: (meter: Followed) => number): MetricFamily =>
      new PolledFamily('gauge', { name, help, stability: 'ALPHA', labels: LABELS }, () =>
        Array.from(this.meters, ([queue, meter]): Polled => [[queue], of(meter)]),
      )
    return [
      this.adds,
      gauge('workqueue_depth', 'Current depth of workqueue', ({ waiting }) => waiting.size),
      gauge('workqueue_longest_running_processor_seconds', 'How many seconds has the longest running processor for workqueue been running.', ({ running }) =>
        Math.max(0, ...ages(running)),
      ),
      this.waits,
      this.retries,
      gauge(
        'workqueue_unfinished_work_seconds',
        "How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
        ({ running }) => ages(running).reduce((sum, age) => sum + age, 0),
      ),
      this.work,
    ]
  }
}

/** In seconds. */
function ages(since: Since): number[] {
  const now = performance.now()
  return Array.from(since.values(), begun => (now - begun) / 1000)
}
