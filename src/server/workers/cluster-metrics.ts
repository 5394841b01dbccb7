import { AggregatorRegistry, type MetricObject } from 'prom-client'
import { snapshotsOf } from '../metrics-registry.ts'
import type { MetricSnapshot, WorkerProcess } from './messages.ts'

/** A worker that has not answered by then counts with its figures of the scrape before. */
const COLLECT_MS = 2_000
/** Families of a process, not of the service: each worker has its own line. */
const OF_PROCESS = /^(?:process|nodejs)_/

/**
 * The metrics of all workers as one exposition, whichever of them is asked. Counters and histograms are added up, those of workers that have ended included (as of the last scrape), so
 * that none goes backwards; gauges as each declares; families of the process carry the label `worker`.
 */
export class ClusterMetrics {
  private readonly workers: () => Iterable<readonly [number, WorkerProcess]>
  private readonly own: () => readonly MetricSnapshot[]
  private readonly latest = new Map<number, readonly MetricSnapshot[]>()
  private retired: readonly MetricSnapshot[] = []
  private readonly waiting = new Map<number, () => void>()
  private nextId = 0

  /** `own`: the primary's families. */
  constructor(workers: () => Iterable<readonly [number, WorkerProcess]>, own: () => readonly MetricSnapshot[]) {
    this.workers = workers
    this.own = own
  }

  /** Asks every worker, and gives the text of the exposition. */
  async gather(): Promise<string> {
    await Promise.all(Array.from(this.workers(), ([, worker]) => this.ask(worker)))
    return total([...this.latest.values(), this.retired, this.own()]).metrics()
  }

  /** A worker's answer. */
  collected(number: number, id: number, families: readonly MetricSnapshot[]): void {
    // The report of one that answers late is still true.
    this.latest.set(
      number,
      families.map(family => (OF_PROCESS.test(family.name) ? ofWorker(family, String(number)) : family)),
    )
    this.waiting.get(id)?.()
  }

  /** The worker has ended: what it had counted stays. */
  async retire(number: number): Promise<void> {
    const last = this.latest.get(number)
    if (last === undefined) return
    const counts = last.filter(({ name, type }) => (type === 'counter' || type === 'histogram') && !OF_PROCESS.test(name))
    this.retired = await snapshotsOf(total([this.retired, counts]))
    this.latest.delete(number)
  }

  private ask(worker: WorkerProcess): Promise<void> {
    const id = this.nextId++
    return new Promise(resolve => {
      const done = (): void => {
        clearTimeout(timer)
        this.waiting.delete(id)
        resolve()
      }
      const timer = setTimeout(done, COLLECT_MS)
      this.waiting.set(id, done)
      worker.send({ type: 'collect', id })
    })
  }
}

const total = (snapshots: readonly (readonly MetricSnapshot[])[]) => AggregatorRegistry.aggregate(snapshots as unknown as MetricObject[])

/** The same with the label `worker`. */
export const ofWorker = (family: MetricSnapshot, worker: string): MetricSnapshot => ({
  ...family,
  aggregator: 'sum',
  values: family.values.map(value => ({ ...value, labels: { ...value.labels, worker } })),
})
