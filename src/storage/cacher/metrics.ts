import { histogramSamples, type MetricFamily } from '../../lib/metrics.ts'
import { type Polled, PolledFamily } from '../../lib/polled-family.ts'
import type { Cacher, CacherStats } from './cacher-types.ts'
import { READ_WAITS, type ResourceCounts } from './resource-counts.ts'
import type { ResourceStats } from './resource-stats.ts'

type Values = (resource: ResourceStats, all: CacherStats) => readonly Polled[]
type Count = (counts: ResourceCounts) => number

/** As of counters that nobody has raised: no line. */
const line = (labels: readonly string[], value: number): Polled[] => (value === 0 ? [] : [[labels, value]])

/** Makes families whose numbers are counted in the caches, and read at a scrape. */
class Families {
  readonly #cachers: readonly Pick<Cacher, 'stats'>[]
  readonly #etcdPrefix: string

  constructor(cachers: readonly Pick<Cacher, 'stats'>[], etcdPrefix: string) {
    this.#cachers = cachers
    this.#etcdPrefix = etcdPrefix
  }

  family(type: 'counter' | 'gauge', about: { readonly name: string; readonly help: string }, labels: readonly string[], values: Values): MetricFamily {
    // Each process counts for itself, and all see the same store.
    return new PolledFamily(type, { ...about, stability: 'ALPHA', labels, across: type === 'counter' ? 'sum' : 'max' }, () =>
      this.#cachers.flatMap(cacher => {
        const all = cacher.stats()
        return all.resources.flatMap(resource => values(resource, all))
      }),
    )
  }

  /** By resource. */
  gauge(name: string, help: string, values: Values): MetricFamily {
    return this.family('gauge', { name, help }, ['resource'], values)
  }

  /** By resource; without a line where it is 0. */
  counter(name: string, help: string, count: Count): MetricFamily {
    return this.family('counter', { name, help }, ['resource'], ({ name: resource, counts }) => line([resource], count(counts)))
  }

  /** The keys of a resource without the prefix of the store, which kube-apiserver labels some families by: `/pods`. */
  prefixOf({ prefix }: ResourceStats): string {
    return prefix.slice(this.#etcdPrefix.length).replace(/\/$/, '')
  }

  /** By the index that found the objects of lists; none where all were looked at. */
  lists(name: string, help: string, of: 'lists' | 'fetched'): MetricFamily {
    return this.family('counter', { name, help }, ['resource_prefix', 'index'], resource => {
      const prefix = this.prefixOf(resource)
      const { scans, byField, byLabel } = resource.counts
      // Which labels are indexed is the clients' doing: they have one name together.
      return [...line([prefix, ''], scans[of]), ...line([prefix, `f:${resource.index}`], byField[of]), ...line([prefix, 'l:*'], byLabel[of])]
    })
  }
}

/**
 * What kube-apiserver reports of its watch caches, by its names, and some figures of our own. The numbers are counted in the caches, and read at a scrape.
 * Source: k8s.io/apiserver, pkg/storage/cacher/metrics.
 *
 * @param cachers one for each store
 * @param etcdPrefix what keys begin with
 */
export function cacherMetrics(cachers: readonly Pick<Cacher, 'stats'>[], etcdPrefix: string): MetricFamily[] {
  const families = new Families(cachers, etcdPrefix)
  return [...listFamilies(families), ...watchFamilies(families), readWaits(cachers), ...storeFamilies(families), ...historyFamilies(families)]
}

const listFamilies = (families: Families): MetricFamily[] => [
  families.lists('apiserver_cache_list_total', 'Lists that the watch cache answered.', 'lists'),
  families.lists('apiserver_cache_list_fetched_objects_total', 'Objects of the watch cache looked at for lists.', 'fetched'),
  families.family(
    'counter',
    { name: 'apiserver_cache_list_returned_objects_total', help: 'Objects given in lists from the watch cache.' },
    ['resource_prefix'],
    resource => line([families.prefixOf(resource)], resource.counts.returned),
  ),
]

const watchFamilies = (families: Families): MetricFamily[] => [
  families.counter('apiserver_init_events_total', 'Events that watches began with, by resource.', c => c.initEvents),
  families.counter('apiserver_watch_cache_events_received_total', 'Changes that came to the watch cache, by resource.', c => c.received),
  families.counter('apiserver_watch_cache_events_dispatched_total', 'Changes that the watch cache gave to its watchers, by resource.', c => c.dispatched),
  families.counter('apiserver_terminated_watchers_total', 'Watches ended because their clients did not keep up, by resource.', c => c.slowWatchers),
  families.counter(
    'binnacle_watch_cache_paced_writes_total',
    'Writes that waited until the server had told its watchers of earlier ones, by resource.',
    c => c.pacedWrites,
  ),
  families.counter('apiserver_watch_cache_initializations_total', 'Times the state of a resource was read into the watch cache.', c => c.initializations),
  families.gauge(
    'apiserver_watch_cache_resource_version',
    'Resource version that the watch cache has reached, by resource.',
    ({ name, loaded }, { revision }) => (loaded ? [[[name], revision]] : []),
  ),
]

/** How the caches stand to the store. */
const storeFamilies = (families: Families): MetricFamily[] => [
  families.family(
    'counter',
    {
      name: 'apiserver_watch_cache_consistent_read_total',
      help: 'Lists of the newest state that came to the watch cache, by whether they succeeded and whether the store had to answer.',
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
      help: 'Comparisons of the watch cache with the store by their outcome; after a failure the state is read anew.',
    },
    ['resource', 'status'],
    resource => Object.entries(resource.counts.checks).flatMap(([status, value]) => line([families.prefixOf(resource), status], value)),
  ),
  families.counter('apiserver_storage_events_received_total', 'Changes that the store reported, by resource.', c => c.received),
  families.counter('apiserver_storage_decode_errors_total', 'Stored objects that could not be read, by resource.', c => c.unreadable),
]

/** What is kept of the past. */
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

/** A histogram, which is kept by resource and printed as one family. Resources that nobody has waited for have no line. */
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
