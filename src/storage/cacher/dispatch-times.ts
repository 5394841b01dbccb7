import { HistogramChild } from '../../lib/metrics.ts'
import type { Receipt } from '../event-queue.ts'
import type { ChangeTimes, RecordedChange } from '../recorded-change.ts'

/** Bucket bounds of `DispatchTimes`, in seconds. */
export const DISPATCH_BOUNDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Stages of an event on its way to a watcher. Source: k8s.io/apiserver 1.37, pkg/storage/cacher/metrics. */
export const DISPATCH_STAGES = ['total', 'storage_to_cache', 'cache_to_watcher'] as const

/**
 * Durations of the delivery of one resource's changes, in seconds, by stage: one observation for each event and
 * watcher.
 */
export class DispatchTimes {
  #stages: Readonly<Record<(typeof DISPATCH_STAGES)[number], HistogramChild>> | undefined

  /** Undefined before the first observation. */
  get stages(): Readonly<Record<(typeof DISPATCH_STAGES)[number], HistogramChild>> | undefined {
    return this.#stages
  }

  /** Records the events of a batch that was created at `built` and is taken at `now`, in milliseconds. */
  observe(events: readonly ChangeTimes[], built: number, now: number): void {
    this.#stages ??= { total: emptyTimes(), storage_to_cache: emptyTimes(), cache_to_watcher: emptyTimes() }
    const { total, storage_to_cache: inCache, cache_to_watcher: toWatcher } = this.#stages
    for (const { arrived, cached } of events) {
      inCache.observe((cached - arrived) / 1000)
      toWatcher.observe((now - built) / 1000)
      total.observe((now - arrived) / 1000)
    }
  }
}

const emptyTimes = (): HistogramChild => new HistogramChild(DISPATCH_BOUNDS)

/**
 * Returns the receipt of a batch of these changes, which is created now. It may be taken by several watchers. Undefined
 * if no change is measured.
 */
export function deliveryOf(changes: readonly RecordedChange[], times: DispatchTimes): Receipt | undefined {
  const measured = changes.map(change => change.times).filter(each => each !== undefined)
  if (measured.length === 0) return undefined
  const built = performance.now()
  return { taken: () => times.observe(measured, built, performance.now()) }
}
