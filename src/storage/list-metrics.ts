import type { MetricFamily } from '../lib/metrics.ts'
import { PolledFamily } from '../lib/polled-family.ts'

/** Counters of the lists of one resource that were read from the store. Plain numbers that the read path increments. */
export class ListCounts {
  lists = 0
  /** Number of objects read. */
  fetched = 0
  /** Number of objects that a predicate was evaluated on: every one that could be read. */
  evaluated = 0
  returned = 0
}

/** Creates kube-apiserver's metric families for lists from the store, by resource (`deployments.apps`). Source: k8s.io/apiserver, pkg/storage/etcd3/metrics. */
export function listMetrics(counts: () => readonly (readonly [resource: string, ListCounts])[]): MetricFamily[] {
  const counter = (name: string, help: string, of: keyof ListCounts) =>
    new PolledFamily('counter', { name, help, stability: 'ALPHA', labels: ['resource'] }, () =>
      counts()
        .filter(([, each]) => each.lists > 0)
        .map(([resource, each]) => [[resource], each[of]] as const),
    )
  return [
    counter('apiserver_storage_list_total', 'Lists that were served from the store, by resource.', 'lists'),
    counter('apiserver_storage_list_fetched_objects_total', 'Objects read from the store for lists, by resource.', 'fetched'),
    counter('apiserver_storage_list_evaluated_objects_total', 'Objects that were examined for lists from the store, by resource.', 'evaluated'),
    counter('apiserver_storage_list_returned_objects_total', 'Objects returned in lists from the store, by resource.', 'returned'),
  ]
}
