import { histogramSamples, type MetricFamily } from '../../lib/metrics.ts'
import { type Polled, PolledFamily } from '../../lib/polled-family.ts'
import type { Cacher, CacherStats, ResourceStats } from './cacher-types.ts'
import { READ_WAITS, type ResourceCounts } from './resource-counts.ts'

type Values = (resource: ResourceStats, all: CacherStats) => readonly Polled[]
type Count = (counts: ResourceCounts) => number

/** As of counters that nobody has raised: no line. */
const line = (labels: readonly string[], value: number): Polled[] => (value === 0 ? [] : [[labels, value]])

/**
 * What kube-apiserver tells of its watch caches, by its names, and some figures of our own. The numbers are counted in the caches, and read at a scrape.
 * Source: k8s.io/apiserver, pkg/storage/cacher/metrics.
 *
 * @param etcdPrefix what keys begin with; kube-apiserver labels some families by the rest: `/pods`
 */
export function cacherMetrics(cacher: Pick<Cacher, 'stats'>, etcdPrefix: string): MetricFamily[] {
  const family = (type: 'counter' | 'gauge', name: string, help: string, labels: readonly string[], values: Values) =>
    // Each process counts for itself, and all see the same store.
    new PolledFamily(type, { name, help, stability: 'ALPHA', labels, across: type === 'counter' ? 'sum' : 'max' }, () => {
      const all = cacher.stats()
      return all.resources.flatMap(resource => values(resource, all))
    })
  const gauge = (name: string, help: string, values: Values) => family('gauge', name, help, ['resource'], values)
  const counter = (name: string, help: string, count: Count) =>
    family('counter', name, help, ['resource'], ({ name: resource, counts }) => line([resource], count(counts)))
  const prefixOf = ({ prefix }: ResourceStats) => prefix.slice(etcdPrefix.length).replace(/\/$/, '')
  const lists = (name: string, help: string, of: 'lists' | 'fetched') =>
    family('counter', name, help, ['resource_prefix', 'index'], resource => {
      const prefix = prefixOf(resource)
      const { scans, byField, byLabel } = resource.counts
      // Which labels are indexed is the clients' doing: they have one name together.
      return [...line([prefix, ''], scans[of]), ...line([prefix, `f:${resource.index}`], byField[of]), ...line([prefix, 'l:*'], byLabel[of])]
    })

  return [
    lists('apiserver_cache_list_total', 'Lists that the watch cache answered.', 'lists'),
    lists('apiserver_cache_list_fetched_objects_total', 'Objects of the watch cache looked at for lists.', 'fetched'),
    family('counter', 'apiserver_cache_list_returned_objects_total', 'Objects given in lists from the watch cache.', ['resource_prefix'], resource =>
      line([prefixOf(resource)], resource.counts.returned),
    ),
    counter('apiserver_init_events_total', 'Events that watches began with, by resource.', c => c.initEvents),
    counter('apiserver_watch_cache_events_received_total', 'Changes that came to the watch cache, by resource.', c => c.received),
    counter('apiserver_watch_cache_events_dispatched_total', 'Changes that the watch cache gave to its watchers, by resource.', c => c.dispatched),
    counter('apiserver_terminated_watchers_total', 'Watches ended because their clients did not keep up, by resource.', c => c.slowWatchers),
    counter('apiserver_watch_cache_initializations_total', 'Times the state of a resource was read into the watch cache.', c => c.initializations),
    gauge('apiserver_watch_cache_resource_version', 'Resource version that the watch cache has reached, by resource.', ({ name, loaded }, { revision }) =>
      loaded ? [[[name], revision]] : [],
    ),
    readWaits(cacher),
    family(
      'counter',
      'apiserver_watch_cache_consistent_read_total',
      'Lists of the newest state that came to the watch cache, by whether they succeeded and whether the store had to answer.',
      ['resource', 'success', 'fallback'],
      resource => {
        const prefix = prefixOf(resource)
        const { cache, store, failed } = resource.counts.consistent
        return [...line([prefix, 'true', 'false'], cache), ...line([prefix, 'true', 'true'], store), ...line([prefix, 'false', 'true'], failed)]
      },
    ),
    family(
      'counter',
      'apiserver_storage_consistency_checks_total',
      'Comparisons of the watch cache with the store by their outcome; after a failure the state is read anew.',
      ['resource', 'status'],
      resource => Object.entries(resource.counts.checks).flatMap(([status, value]) => line([prefixOf(resource), status], value)),
    ),
    counter('apiserver_storage_events_received_total', 'Changes that the store told of, by resource.', c => c.received),
    counter('apiserver_storage_decode_errors_total', 'Stored objects that could not be read, by resource.', c => c.unreadable),
    gauge('binnacle_watch_cache_history_events', 'Changes kept for watches that resume and for exact reads, by resource.', r =>
      line([r.name], r.historyEvents),
    ),
    gauge('binnacle_watch_cache_history_bytes', 'Bytes of the changes kept, by resource.', r => line([r.name], r.historyBytes)),
    family(
      'counter',
      'binnacle_watch_cache_history_forced_out_total',
      'Changes dropped before their time to keep within the bytes, by resource.',
      ['resource'],
      r => line([r.name], r.historyForcedOut),
    ),
  ]
}

function readWaits(cacher: Pick<Cacher, 'stats'>): MetricFamily {
  const name = 'apiserver_watch_cache_read_wait_seconds'
  return {
    name,
    help: '[ALPHA] Time that reads waited until the watch cache had their resource version, by resource.',
    type: 'histogram',
    samples: () =>
      cacher
        .stats()
        .resources.filter(({ counts }) => counts.readWait.count > 0)
        .flatMap(({ name: resource, counts }) => histogramSamples(name, READ_WAITS, counts.readWait, { resource })),
  }
}
