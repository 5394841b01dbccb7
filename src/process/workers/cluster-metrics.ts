import { AggregatorRegistry, type MetricObject } from 'prom-client'
import { snapshotsOf } from '../../server/metrics/metrics-registry.ts'
import type { MetricSnapshot } from '../../server/metrics/shared-metrics.ts'
import type { WorkerProcess } from './messages.ts'

/** Time that workers have to report their metrics. A worker that is late counts with its previous report. */
const COLLECT_MS = 2_000
/** Families of a process, not of the service: they have a sample for each worker. */
const OF_PROCESS = /^(?:process|nodejs)_/

/**
 * Metrics of all workers as one exposition, regardless of the worker that serves the scrape. Counters and histograms
 * are summed over all workers, including those that have ended (as of their last report), so that none decreases.
 * Gauges are aggregated as each declares. Families of the process have the label `worker`.
 */
export class ClusterMetrics {
  readonly #workers: () => Iterable<readonly [number, WorkerProcess]>
  readonly #own: () => readonly MetricSnapshot[]
  readonly #latest = new Map<number, readonly MetricSnapshot[]>()
  #retired: readonly MetricSnapshot[] = []
  readonly #waiting = new Map<number, () => void>()
  #nextId = 0

  /** `own`: returns the primary's families. */
  constructor(workers: () => Iterable<readonly [number, WorkerProcess]>, own: () => readonly MetricSnapshot[]) {
    this.#workers = workers
    this.#own = own
  }

  /** Collects the metrics of every worker. Returns the text of the exposition. */
  async gather(): Promise<string> {
    await Promise.all(Array.from(this.#workers(), ([, worker]) => this.#ask(worker)))
    return total([...this.#latest.values(), this.#retired, this.#own()]).metrics()
  }

  /** Handles a worker's report. */
  collected(number: number, id: number, families: readonly MetricSnapshot[]): void {
    // A late report is still correct, and newer than the one before.
    this.#latest.set(
      number,
      families.map(family => (OF_PROCESS.test(family.name) ? ofWorker(family, String(number)) : family)),
    )
    this.#waiting.get(id)?.()
  }

  /** Keeps the counters of a worker that has ended. */
  async retire(number: number): Promise<void> {
    const last = this.#latest.get(number)
    if (last === undefined) return
    const counts = last.filter(({ name, type }) => (type === 'counter' || type === 'histogram') && !OF_PROCESS.test(name))
    this.#retired = await snapshotsOf(total([this.#retired, counts]))
    this.#latest.delete(number)
  }

  #ask(worker: WorkerProcess): Promise<void> {
    const id = this.#nextId++
    return new Promise(resolve => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(id)
        resolve()
      }
      const timer = setTimeout(done, COLLECT_MS)
      this.#waiting.set(id, done)
      worker.send({ type: 'collect', id })
    })
  }
}

const total = (snapshots: readonly (readonly MetricSnapshot[])[]) => AggregatorRegistry.aggregate(snapshots as unknown as MetricObject[])

/** Returns the family with the label `worker`. */
export const ofWorker = (family: MetricSnapshot, worker: string): MetricSnapshot => ({
  ...family,
  aggregator: 'sum',
  values: family.values.map(value => ({ ...value, labels: { ...value.labels, worker } })),
})
