import { REQUEST_BUCKETS } from '../lib/buckets.ts'
import { HistogramChild, histogramSamples, type MetricFamily } from '../lib/metrics.ts'
import { type Polled, PolledFamily } from '../lib/polled-family.ts'
import { isSince, type Release } from '../lifecycle/release.ts'
import { resourceLabels } from './resource-labels.ts'

/** Counters of the lists of one resource that were read from the store. Plain numbers that the read path increments. */
export class ListCounts {
  lists = 0
  /** Number of objects read. */
  fetched = 0
  /** Number of objects that a predicate was evaluated on: every one that could be read. */
  evaluated = 0
  returned = 0
  /** Durations in seconds, by whether the store streamed the objects. */
  readonly durations = new Map<boolean, HistogramChild>()

  /** Records the duration of a list in milliseconds. */
  took(milliseconds: number, streamed: boolean): void {
    let durations = this.durations.get(streamed)
    if (durations === undefined) {
      durations = new HistogramChild(REQUEST_BUCKETS)
      this.durations.set(streamed, durations)
    }
    durations.observe(milliseconds / 1000)
  }
}

/** Counts of the lists of one resource that were served from a watch cache. */
export interface CachedLists {
  readonly resource: string
  /** Lists and the objects examined for them, by the name of the index that was used: empty for scans. */
  readonly byIndex: readonly (readonly [index: string, counts: { readonly lists: number; readonly fetched: number }])[]
  readonly returned: number
}

/** Sources of the counters, which are read at a scrape. */
export interface ListSources {
  readonly stored: () => readonly (readonly [resource: string, ListCounts])[]
  readonly cached: () => readonly CachedLists[]
}

type Part = 'lists' | 'fetched' | 'evaluated' | 'returned'

/**
 * Creates kube-apiserver's metric families for lists, by resource: those from the store, and since 1.37 also those from
 * a watch cache. Source: k8s.io/apiserver, pkg/storage/etcd3/metrics and pkg/storage/metrics.
 */
export function listMetrics({ stored, cached }: ListSources, release: Release): MetricFamily[] {
  const { names, values } = resourceLabels(release)
  const hasCached = isSince(release, '1.37')
  const labels = (part: Part): readonly string[] => {
    if (!hasCached) return names
    return part === 'lists' || part === 'fetched' ? [...names, 'storage', 'index'] : [...names, 'storage']
  }
  const counter = (name: string, help: string, part: Part) =>
    new PolledFamily('counter', { name, help, stability: 'ALPHA', labels: labels(part) }, () => {
      const fromStore = stored()
        .filter(([, { lists }]) => lists > 0)
        .map(([resource, each]): Polled => [[...values(resource), ...(hasCached ? ['etcd', ''] : [])], each[part]])
      return hasCached ? [...fromStore, ...cached().flatMap(lists => fromCache(lists, values(lists.resource), part))] : fromStore
    })
  return [
    counter('apiserver_storage_list_total', 'Lists that were served from the store, by resource.', 'lists'),
    counter('apiserver_storage_list_fetched_objects_total', 'Objects read from the store for lists, by resource.', 'fetched'),
    counter(
      'apiserver_storage_list_evaluated_objects_total',
      'Objects that were examined for lists from the store, by resource.',
      'evaluated',
    ),
    counter('apiserver_storage_list_returned_objects_total', 'Objects returned in lists from the store, by resource.', 'returned'),
    durations(stored, names, values),
  ]
}

/** Samples of lists from a watch cache. As in kube-apiserver, objects that its predicates examined are not counted. */
function fromCache({ byIndex, returned }: CachedLists, values: readonly string[], part: Part): Polled[] {
  const used = byIndex.filter(([, { lists }]) => lists > 0)
  if (part === 'lists' || part === 'fetched') return used.map(([index, counts]) => [[...values, 'watchcache', index], counts[part]])
  return used.length === 0 ? [] : [[[...values, 'watchcache'], part === 'returned' ? returned : 0]]
}

function durations(stored: ListSources['stored'], names: readonly string[], values: (resource: string) => readonly string[]): MetricFamily {
  const name = 'apiserver_storage_list_duration_seconds'
  return {
    name,
    stability: 'ALPHA',
    help: 'Time of lists from the store, including the decoding of objects, by resource and whether etcd streamed them.',
    type: 'histogram',
    labels: ['streamed', ...names],
    samples: () =>
      stored().flatMap(([resource, counts]) =>
        [...counts.durations].flatMap(([streamed, times]) => {
          const labels = Object.fromEntries([
            ['streamed', String(streamed)],
            ...names.map((label, i) => [label, values(resource)[i] ?? '']),
          ])
          return histogramSamples(name, REQUEST_BUCKETS, times, labels)
        }),
      ),
  }
}
