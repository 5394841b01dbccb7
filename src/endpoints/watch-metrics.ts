import type { GoneVersion } from '../catalog/gone-versions.ts'
import { doubled } from '../lib/buckets.ts'
import { CounterFamily, HistogramChild, HistogramFamily, type MetricFamily, type NumberChild } from '../lib/metrics.ts'
import { isSince, type Release } from '../lifecycle/release.ts'
import type { FramedBatch } from './shared-frames.ts'

/** Upper bounds in bytes. */
const SIZES = doubled(1024, 8)
/** Upper bounds in seconds. */
const DURATIONS = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60]
/** Upper bounds in seconds since 1.37. */
const DURATIONS_SINCE_37 = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300]
const KIND = ['group', 'version', 'kind'] as const

/** Counts the events of one watch. The series are looked up when the watch begins. */
export interface WatchMeter {
  /** Counts the events of a batch. */
  sent(batch: FramedBatch): void
  /** Counts one event of so many bytes. */
  sentOne(bytes: number): void
  /** Records that the bookmark after the initial events was sent, so many seconds after the request. */
  initialEventsSent(seconds: number): void
}

/** Parts of a version that labels need. */
interface WatchedVersion {
  /** Empty for the core group. */
  readonly group: string
  readonly name: string
  readonly kind: string
  readonly names: { readonly plural: string }
}

/** kube-apiserver's metrics of watches. Source: k8s.io/apiserver, pkg/endpoints/metrics. */
export class WatchMetrics {
  readonly #events = new CounterFamily({
    name: 'apiserver_watch_events_total',
    help: 'Number of events sent to watches.',
    stability: 'ALPHA',
    labels: KIND,
    subject: KIND,
  })
  readonly #sizes = new HistogramFamily({
    name: 'apiserver_watch_events_sizes',
    help: 'Sizes of events sent to watches, in bytes.',
    stability: 'ALPHA',
    labels: KIND,
    subject: KIND,
    buckets: SIZES,
  })
  readonly #initial: HistogramFamily

  /** @param release determines the buckets */
  constructor(release: Release) {
    this.#initial = new HistogramFamily({
      name: 'apiserver_watch_list_duration_seconds',
      help: 'Time until the initial events of a watch were sent, by group, version, resource and scope.',
      stability: 'ALPHA',
      labels: ['group', 'version', 'resource', 'scope'],
      subject: ['group', 'version', 'resource'],
      buckets: isSince(release, '1.37') ? DURATIONS_SINCE_37 : DURATIONS,
    })
  }

  /** Metrics in the order in which they are exposed. */
  families(): MetricFamily[] {
    return [this.#events, this.#sizes, this.#initial]
  }

  /** Removes the series of a version that is no longer served. */
  forget({ group, version, kind, resource }: GoneVersion): void {
    this.#events.forget(group, version, kind)
    this.#sizes.forget(group, version, kind)
    this.#initial.forget(group, version, resource)
  }

  /** Returns the meter of a watch of this version. `namespace`, `name`: empty if all are watched. */
  meter(version: WatchedVersion, namespace: string, name: string): WatchMeter {
    const events = this.#events.child(version.group, version.name, version.kind)
    const sizes = this.#sizes.child(version.group, version.name, version.kind)
    const scope = name !== '' ? 'resource' : namespace !== '' ? 'namespace' : 'cluster'
    return {
      sent: batch => countBatch(batch, events, sizes),
      sentOne: bytes => {
        events.value++
        sizes.observe(bytes)
      },
      initialEventsSent: seconds => this.#initial.child(version.group, version.name, version.names.plural, scope).observe(seconds),
    }
  }
}

/** For batches with at least this many frames, the histogram is computed once for all watches that send the batch. */
const MANY = 8

/** Counts a batch. The histogram of a large batch is computed once and merged into that of each watch. */
function countBatch(batch: FramedBatch, events: NumberChild, sizes: HistogramChild): void {
  const { lengths } = batch
  events.value += lengths.length
  if (lengths.length < MANY) {
    for (const length of lengths) sizes.observe(length)
    return
  }
  if (batch.sizes === undefined) {
    batch.sizes = new HistogramChild(SIZES)
    for (const length of lengths) batch.sizes.observe(length)
  }
  sizes.add(batch.sizes)
}
