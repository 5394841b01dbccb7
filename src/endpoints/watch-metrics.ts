import type { GoneVersion } from '../catalog/gone-versions.ts'
import { doubled } from '../lib/buckets.ts'
import { CounterFamily, HistogramChild, HistogramFamily, type MetricFamily, type NumberChild } from '../lib/metrics.ts'
import type { FramedBatch } from './shared-frames.ts'

/** Bytes. */
const SIZES = doubled(1024, 8)
const DURATIONS = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60]
const KIND = ['group', 'version', 'kind'] as const

/** What one watch sends is counted here: its children are looked up when it begins. */
export interface WatchMeter {
  sent(batch: FramedBatch): void
  /** One, of so many bytes. */
  sentOne(bytes: number): void
  /** The bookmark that ends the initial events has been sent, so many seconds after the request came. */
  initialEventsSent(seconds: number): void
}

interface WatchedVersion {
  readonly group: string
  readonly name: string
  readonly kind: string
  readonly names: { readonly plural: string }
}

/** kube-apiserver's families of watches. Source: k8s.io/apiserver, pkg/endpoints/metrics. */
export class WatchMetrics {
  private readonly events = new CounterFamily({
    name: 'apiserver_watch_events_total',
    help: 'Events sent to clients that watch.',
    stability: 'ALPHA',
    labels: KIND,
    subject: KIND,
  })
  private readonly sizes = new HistogramFamily({
    name: 'apiserver_watch_events_sizes',
    help: 'Sizes in bytes of events sent to clients that watch.',
    stability: 'ALPHA',
    labels: KIND,
    subject: KIND,
    buckets: SIZES,
  })
  private readonly initial = new HistogramFamily({
    name: 'apiserver_watch_list_duration_seconds',
    help: 'Time until the initial events of a watch were sent, by group, version, resource and scope.',
    stability: 'ALPHA',
    labels: ['group', 'version', 'resource', 'scope'],
    subject: ['group', 'version', 'resource'],
    buckets: DURATIONS,
  })

  families(): MetricFamily[] {
    return [this.events, this.sizes, this.initial]
  }

  /** Removes what was counted of a version that is served no more. */
  forget({ group, version, kind, resource }: GoneVersion): void {
    this.events.forget(group, version, kind)
    this.sizes.forget(group, version, kind)
    this.initial.forget(group, version, resource)
  }

  /** Of a watch of this version of a kind. `namespace`, `name`: of all that is watched, or empty. */
  meter(version: WatchedVersion, namespace: string, name: string): WatchMeter {
    const events = this.events.child(version.group, version.name, version.kind)
    const sizes = this.sizes.child(version.group, version.name, version.kind)
    const scope = name !== '' ? 'resource' : namespace !== '' ? 'namespace' : 'cluster'
    return {
      sent: batch => count(batch, events, sizes),
      sentOne: bytes => {
        events.value++
        sizes.observe(bytes)
      },
      initialEventsSent: seconds => this.initial.child(version.group, version.name, version.names.plural, scope).observe(seconds),
    }
  }
}

/** Of so many frames on, their sizes are sorted once for all watches that are sent the same. */
const MANY = 8

function count(batch: FramedBatch, events: NumberChild, sizes: HistogramChild): void {
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
