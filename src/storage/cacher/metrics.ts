import { histogramSamples, type MetricFamily } from '../../lib/metrics.ts'
import { type Polled, PolledFamily } from '../../lib/polled-family.ts'
import type { Cacher, CacherStats } from './cacher-types.ts'
import { READ_WAITS, type ResourceCounts } from './resource-counts.ts'
import type { ResourceStats } from './resource-stats.ts'

type Values = (resource: ResourceStats, all: CacherStats) => readonly Polled[]
type Count = (counts: ResourceCounts) => number

/** A sample, omitted if it is 0, as a counter that was never incremented is. */
const line = (labels: readonly string[], value: number): Polled[] => (value === 0 ? [] : [[labels, value]])

/** Creates metric families from the counters in the caches, which are read at a scrape. */
class Families {
  readonly #cachers: readonly Pick<Cacher, 'stats'>[]
  readonly #etcdPrefix: string

  constructor(cachers: readonly Pick<Cacher, 'stats'>[], etcdPrefix: string) {
    this.#cachers = cachers
    this.#etcdPrefix = etcdPrefix
  }

  family(type: 'counter' | 'gauge', about: { readonly name: string; readonly help: string }, labels: readonly string[], values: Values): MetricFamily {
    // Worker processes count separately, but all of them cache the same store.
    return new PolledFamily(type, { ...about, stability: 'ALPHA', labels, across: type === 'counter' ? 'sum' : 'max' }, () =>
      this.#cachers.flatMap(cacher => {
        const all = cacher.stats()
        return all.resources.flatMap(resource => values(resource, all))
      }),
    )
  }

  /** A gauge by resource. */
  gauge(name: string, help: string, values: Values): MetricFamily {
    return this.family('gauge', { name, help }, ['resource'], values)
  }

  /** A counter by resource, without samples of 0. */
  counter(name: string, help: string, count: Count): MetricFamily {
    return this.family('counter', { name, help }, ['resource'], ({ name: resource, counts }) => line([resource], count(counts)))
  }

  /** Prefix of a resource's keys without that of the store (`/pods`), by which kube-apiserver labels some families. */
  prefixOf({ prefix }: ResourceStats): string {
    return prefix.slice(this.#etcdPrefix.length).replace(/\/$/, '')
  }

  /** A counter of lists by the index that was used; the label is empty for scans. */
  lists(name: string, help: string, of: 'lists' | 'fetched'): MetricFamily {
    return this.family('counter', { name, help }, ['resource_prefix', 'index'], resource => {
      const prefix = this.prefixOf(resource)
      const { scans, byField, byLabel } = resource.counts
      // Clients determine which labels are indexed, so these share one label value, which bounds the cardinality.
      return [...line([prefix, ''], scans[of]), ...line([prefix, `f:${resource.index}`], byField[of]), ...line([prefix, 'l:*'], byLabel[of])]
    })
  }
}

/**
 * Creates kube-apiserver's metric families of its watch cache, by their names, and some of our own. They are read from the caches' counters at a scrape.
 * Source: k8s.io/apiserver, pkg/storage/cacher/metrics.
 *
 * @param cachers one for each store
 * @param etcdPrefix prefix of all keys
 */
export function cacherMetrics(cachers: readonly Pick<Cacher, 'stats'>[], etcdPrefix: string): MetricFamily[] {
  const families = new Families(cachers, etcdPrefix)
  return [...listFamilies(families), ...watchFamilies(families), readWaits(cachers), ...storeFamilies(families), ...historyFamilies(families)]
}

const listFamilies = (families: Families): MetricFamily[] => [
  families.lists('apiserver_cache_list_total', 'Lists that were served from the watch cache.', 'lists'),
  families.lists('apiserver_cache_list_fetched_objects_total', 'Objects of the watch cache that were examined for lists.', 'fetched'),
  families.family(
    'counter',
    { name: 'apiserver_cache_list_returned_objects_total', help: 'Objects returned in lists from the watch cache.' },
    ['resource_prefix'],
    resource => line([families.prefixOf(resource)], resource.counts.returned),
  ),
]

const watchFamilies = (families: Families): MetricFamily[] => [
  families.counter('apiserver_init_events_total', 'Events that watches began with, by resource.', c => c.initEvents),
  families.counter('apiserver_watch_cache_events_received_total', 'Changes that the watch cache received, by resource.', c => c.received),
  families.counter('apiserver_watch_cache_events_dispatched_total', 'Changes that the watch cache gave to its watchers, by resource.', c => c.dispatched),
  families.counter('apiserver_terminated_watchers_total', 'Watches ended because their clients did not keep up, by resource.', c => c.slowWatchers),
  families.counter(
    'binnacle_watch_cache_paced_writes_total',
    'Writes that waited until earlier ones were delivered to watchers, by resource.',
    c => c.pacedWrites,
  ),
  families.counter('apiserver_watch_cache_initializations_total', 'Times the state of a resource was read into the watch cache.', c => c.initializations),
  families.gauge(
    'apiserver_watch_cache_resource_version',
    'Resource version that the watch cache has reached, by resource.',
    ({ name, loaded }, { revision }) => (loaded ? [[[name], revision]] : []),
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
    ['resource', 'success', 'fallback'],
    resource => {
      const prefix = families.prefixOf(resource)
      const { cache, store, failed } = resource.counts.consistent
      return [...line([prefix, 'true', 'false'], cache), ...line([prefix, 'true', 'true'], store), ...line([prefix, 'false', 'true'], failed)]
    },
  ),
  families.family(
    'counter',
    {
      name: 'apiserver_storage_consistency_checks_total',
      help: 'Comparisons of the watch cache with the store by their outcome; after a failure the resource is reloaded.',
    },
    ['resource', 'status'],
    resource => Object.entries(resource.counts.checks).flatMap(([status, value]) => line([families.prefixOf(resource), status], value)),
  ),
  families.counter('apiserver_storage_events_received_total', 'Changes that the store reported, by resource.', c => c.received),
  families.counter('apiserver_storage_decode_errors_total', 'Stored objects that could not be read, by resource.', c => c.unreadable),
]

/** Metrics of the retained history. */
const historyFamilies = (families: Families): MetricFamily[] => [
  families.gauge('binnacle_watch_cache_history_events', 'Changes kept for watches that resume and for exact reads, by resource.', r =>
    line([r.name], r.historyEvents),
  ),
  families.gauge('binnacle_watch_cache_history_bytes', 'Bytes of the changes kept, by resource.', r => line([r.name], r.historyBytes)),
  families.family(
    'counter',
    {
      name: 'binnacle_watch_cache_history_forced_out_total',
      help: 'Changes dropped before their time to keep within the bytes, by resource.',
    },
    ['resource'],
    r => line([r.name], r.historyForcedOut),
  ),
]

/** A histogram that is kept by resource and printed as one family. Resources without a wait have no samples. */
function readWaits(cachers: readonly Pick<Cacher, 'stats'>[]): MetricFamily {
  const name = 'apiserver_watch_cache_read_wait_seconds'
  return {
    name,
    stability: 'ALPHA',
    help: 'Time that reads waited until the watch cache had their resource version, by resource.',
    type: 'histogram',
    labels: ['resource'],
    samples: () =>
      cachers
        .flatMap(cacher => cacher.stats().resources)
        .filter(({ counts }) => counts.readWait.count > 0)
        .flatMap(({ name: resource, counts }) => histogramSamples(name, READ_WAITS, counts.readWait, { resource })),
  }
}
