import { type HistogramChild, histogramSamples, type MetricFamily } from '../../lib/metrics.ts'
import { type Polled, PolledFamily } from '../../lib/polled-family.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import type { CachedLists } from '../list-metrics.ts'
import { type ResourceLabels, resourceLabels } from '../resource-labels.ts'
import type { Cacher, CacherStats } from './cacher-types.ts'
import { DISPATCH_BOUNDS, DISPATCH_STAGES } from './dispatch-times.ts'
import { LOAD_TIMES, READ_WAITS, type ResourceCounts } from './resource-counts.ts'
import type { ResourceStats } from './resource-stats.ts'

type Values = (resource: ResourceStats, all: CacherStats) => readonly Polled[]
type Count = (counts: ResourceCounts) => number
type Cachers = readonly Pick<Cacher, 'stats'>[]

/** Release of the metrics, and whether clients may select shards. */
export interface CacherMetricsOptions {
  readonly release: Release
  readonly shards: boolean
}

/** A sample, omitted if it is 0, as a counter that was never incremented is. */
const line = (labels: readonly string[], value: number): Polled[] => (value === 0 ? [] : [[labels, value]])

/** Creates metric families from the counters in the caches, which are read at a scrape. */
class Families {
  readonly cachers: Cachers
  readonly labels: ResourceLabels
  readonly #etcdPrefix: string
  readonly #byPrefix: boolean

  constructor(cachers: Cachers, etcdPrefix: string, release: Release) {
    this.cachers = cachers
    this.#etcdPrefix = etcdPrefix
    this.#byPrefix = !isSince(release, '1.34')
    this.labels = resourceLabels(release)
  }

  family(
    type: 'counter' | 'gauge',
    about: { readonly name: string; readonly help: string },
    labels: readonly string[],
    values: Values,
  ): MetricFamily {
    // Worker processes count separately, but all of them cache the same store.
    return new PolledFamily(type, { ...about, stability: 'ALPHA', labels, across: type === 'counter' ? 'sum' : 'max' }, () =>
      this.cachers.flatMap(cacher => {
        const all = cacher.stats()
        return all.resources.flatMap(resource => values(resource, all))
      }),
    )
  }

  /** A gauge by resource. */
  gauge(name: string, help: string, value: (resource: ResourceStats, all: CacherStats) => number): MetricFamily {
    return this.family('gauge', { name, help }, this.labels.names, (resource, all) =>
      line(this.labels.values(resource.name), value(resource, all)),
    )
  }

  /** A counter by resource, without samples of 0. */
  counter(name: string, help: string, count: Count): MetricFamily {
    return this.family('counter', { name, help }, this.labels.names, ({ name: resource, counts }) =>
      line(this.labels.values(resource), count(counts)),
    )
  }

  /** A histogram that is kept by resource. Resources without an observation have no samples. */
  histogram(name: string, help: string, bounds: readonly number[], child: (counts: ResourceCounts) => HistogramChild): MetricFamily {
    return {
      name,
      stability: 'ALPHA',
      help,
      type: 'histogram',
      labels: this.labels.names,
      samples: () =>
        this.cachers
          .flatMap(cacher => cacher.stats().resources)
          .filter(({ counts }) => child(counts).count > 0)
          .flatMap(({ name: resource, counts }) => histogramSamples(name, bounds, child(counts), this.labelled(resource))),
    }
  }

  /** Labels of a resource with their values. */
  labelled(resource: string): Record<string, string> {
    const values = this.labels.values(resource)
    return Object.fromEntries(this.labels.names.map((label, i) => [label, values[i] ?? '']))
  }

  /** Names of the labels of a resource in families that kube-apiserver labelled by prefix before 1.34. */
  prefixNames(label: string): readonly string[] {
    return this.#byPrefix ? [label] : this.labels.names
  }

  /** Label values of a resource in these families: before 1.34 its key prefix without that of the store (`/pods`). */
  prefixValues({ name, prefix }: ResourceStats): readonly string[] {
    return this.#byPrefix ? [prefix.slice(this.#etcdPrefix.length).replace(/\/$/, '')] : this.labels.values(name)
  }

  /** A counter of lists by the index that was used; the label is empty for scans. */
  lists(name: string, help: string, of: 'lists' | 'fetched'): MetricFamily {
    return this.family('counter', { name, help }, [...this.prefixNames('resource_prefix'), 'index'], resource =>
      byIndex(resource).flatMap(([index, counts]) => line([...this.prefixValues(resource), index], counts[of])),
    )
  }
}

/**
 * Counts of lists by the index that was used. Clients determine which labels are indexed, so these share one name,
 * which bounds the cardinality.
 */
const byIndex = ({ index, counts: { scans, byField, byLabel } }: ResourceStats) =>
  [
    ['', scans],
    [`f:${index}`, byField],
    ['l:*', byLabel],
  ] as const

/** Returns the lists from watch caches, for the metrics that lists from the store share with them. */
export const cachedLists = (cachers: Cachers): readonly CachedLists[] =>
  cachers
    .flatMap(cacher => cacher.stats().resources)
    .map(resource => ({ resource: resource.name, byIndex: byIndex(resource), returned: resource.counts.returned }))

/**
 * Creates kube-apiserver's metric families of its watch cache, by their names, and some of our own. They are read from
 * the caches' counters at a scrape. Source: k8s.io/apiserver, pkg/storage/cacher/metrics.
 *
 * @param cachers one for each store
 * @param etcdPrefix prefix of all keys
 */
export function cacherMetrics(cachers: Cachers, etcdPrefix: string, { release, shards }: CacherMetricsOptions): MetricFamily[] {
  const families = new Families(cachers, etcdPrefix, release)
  return [
    ...listFamilies(families),
    ...watchFamilies(families),
    ...loadFamilies(families),
    dispatchTimes(families),
    ...(shards ? shardFamilies(families) : []),
    ...storeFamilies(families),
    ...historyFamilies(families),
  ]
}

const listFamilies = (families: Families): MetricFamily[] => [
  families.lists('apiserver_cache_list_total', 'Lists that were served from the watch cache.', 'lists'),
  families.lists('apiserver_cache_list_fetched_objects_total', 'Objects of the watch cache that were examined for lists.', 'fetched'),
  families.family(
    'counter',
    { name: 'apiserver_cache_list_returned_objects_total', help: 'Objects returned in lists from the watch cache.' },
    families.prefixNames('resource_prefix'),
    resource => line(families.prefixValues(resource), resource.counts.returned),
  ),
]

const watchFamilies = (families: Families): MetricFamily[] => [
  families.counter('apiserver_init_events_total', 'Events that watches began with, by resource.', c => c.initEvents),
  families.counter('apiserver_watch_cache_events_received_total', 'Changes that the watch cache received, by resource.', c => c.received),
  families.counter(
    'apiserver_watch_cache_events_dispatched_total',
    'Changes that the watch cache gave to its watchers, by resource.',
    c => c.dispatched,
  ),
  families.counter(
    'apiserver_terminated_watchers_total',
    'Watches ended because their clients did not keep up, by resource.',
    c => c.slowWatchers,
  ),
  families.counter(
    'binnacle_watch_cache_paced_writes_total',
    'Writes that waited until earlier ones were delivered to watchers, by resource.',
    c => c.pacedWrites,
  ),
  families.gauge(
    'apiserver_watch_cache_resource_version',
    'Resource version that the watch cache has reached, by resource.',
    ({ loaded }, { revision }) => (loaded ? revision : 0),
  ),
]

/** Metrics of reading the state of a resource, and of reads that wait for the cache. */
const loadFamilies = (families: Families): MetricFamily[] => [
  families.counter(
    'apiserver_watch_cache_initializations_total',
    'Times the state of a resource was read into the watch cache.',
    c => c.initializations,
  ),
  families.counter(
    'apiserver_watch_cache_initialization_errors_total',
    'Times the state of a resource could not be read into the watch cache.',
    c => c.failedLoads,
  ),
  families.histogram(
    'apiserver_watch_cache_initialization_duration_seconds',
    'Time until the state of a resource was read into the watch cache.',
    LOAD_TIMES,
    c => c.loadTimes,
  ),
  families.histogram(
    'apiserver_watch_cache_read_wait_seconds',
    'Time that reads waited until the watch cache had their resource version, by resource.',
    READ_WAITS,
    c => c.readWait,
  ),
]

/** Metrics of watches of a shard. */
const shardFamilies = (families: Families): MetricFamily[] => [
  families.gauge('apiserver_watch_shards_total', 'Open watches of a shard, by resource.', ({ counts }) => counts.shardedWatches),
  families.counter(
    'apiserver_watch_filtered_events_total',
    'Objects that watches left out because they are in another shard.',
    c => c.otherShards,
  ),
]

/** Metrics of consistent reads, and of the caches' consistency with the store. */
const storeFamilies = (families: Families): MetricFamily[] => [
  families.family(
    'counter',
    {
      name: 'apiserver_watch_cache_consistent_read_total',
      help: 'Lists of the newest state that the watch cache received, by whether they succeeded and whether the store had to serve them.',
    },
    [...families.prefixNames('resource'), 'success', 'fallback'],
    resource => {
      const labels = families.prefixValues(resource)
      const { cache, store, failed } = resource.counts.consistent
      return [
        ...line([...labels, 'true', 'false'], cache),
        ...line([...labels, 'true', 'true'], store),
        ...line([...labels, 'false', 'true'], failed),
      ]
    },
  ),
  families.family(
    'counter',
    {
      name: 'apiserver_storage_consistency_checks_total',
      help: 'Comparisons of the watch cache with the store by their outcome; after a failure the resource is reloaded.',
    },
    [...families.prefixNames('resource'), 'status'],
    resource =>
      Object.entries(resource.counts.checks).flatMap(([status, value]) => line([...families.prefixValues(resource), status], value)),
  ),
  families.counter('apiserver_storage_events_received_total', 'Changes that the store reported, by resource.', c => c.received),
  families.counter('apiserver_storage_decode_errors_total', 'Stored objects that could not be read, by resource.', c => c.unreadable),
]

/** Metrics of the retained history. */
const historyFamilies = (families: Families): MetricFamily[] => [
  families.gauge(
    'binnacle_watch_cache_history_events',
    'Changes kept for watches that resume and for exact reads, by resource.',
    r => r.historyEvents,
  ),
  families.gauge('binnacle_watch_cache_history_bytes', 'Bytes of the changes kept, by resource.', r => r.historyBytes),
  families.family(
    'counter',
    {
      name: 'binnacle_watch_cache_history_forced_out_total',
      help: 'Changes dropped before their time to keep within the bytes, by resource.',
    },
    families.labels.names,
    r => line(families.labels.values(r.name), r.historyForcedOut),
  ),
]

/** Durations of the delivery of events to watchers, by resource and stage. */
function dispatchTimes(families: Families): MetricFamily {
  const name = 'apiserver_watch_events_dispatch_duration_seconds'
  return {
    name,
    stability: 'ALPHA',
    help: 'Time of the delivery of events to watchers, by resource and stage: from the store to the cache, from the cache to the watcher, and both.',
    type: 'histogram',
    labels: [...families.labels.names, 'stage'],
    samples: () =>
      families.cachers
        .flatMap(cacher => cacher.stats().resources)
        .flatMap(({ name: resource, counts: { dispatch } }) => {
          const { stages } = dispatch
          if (stages === undefined) return []
          const labels = families.labelled(resource)
          return DISPATCH_STAGES.flatMap(stage => histogramSamples(name, DISPATCH_BOUNDS, stages[stage], { ...labels, stage }))
        }),
  }
}
