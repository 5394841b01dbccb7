import type { RequestInfo } from '../meta/context.ts'
import { FieldMatcher, parseFieldSelector } from '../meta/field-selector.ts'
import { ifReadable } from '../meta/selector-error.ts'

/** Fields that the watch cache has an index for. An event is sent to few of the watches that select by such a field. */
const INDEXED: ReadonlyMap<string, string> = new Map([['pods', 'spec.nodeName']])
/** A longer selector is treated as absent: parsing it would cost more than an exact count is worth. */
const LONG_SELECTOR = 4096

type Watched = Pick<RequestInfo, 'group' | 'resource' | 'namespace' | 'name'>

/**
 * Counts the watches that receive changes of an object, which determine the additional cost of a write. As in
 * kube-apiserver, watches by an indexed field only count if they select the empty value. Source: watch_tracker.go in
 * k8s.io/apiserver, pkg/util/flowcontrol.
 */
export class WatchTracker {
  readonly #counts = new Map<string, number>()

  /** Counts a watch. The caller calls the returned function once, when the watch ends. */
  register(info: Watched, query: Pick<URLSearchParams, 'get'>): () => void {
    const field = INDEXED.get(info.resource)
    if (field !== undefined && isIndexed(field, query.get('fieldSelector'))) return () => {}
    const key = watchKey(info.group, info.resource, info.namespace, info.name)
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    return () => {
      const left = (this.#counts.get(key) ?? 0) - 1
      if (left > 0) this.#counts.set(key, left)
      else this.#counts.delete(key)
    }
  }

  /** Returns the number of watches that may receive the changes of a request. */
  interestedIn({ verb, group, resource, namespace, name }: Watched & Pick<RequestInfo, 'verb'>): number {
    if (this.#counts.size === 0 || verb === 'get' || verb === 'list' || verb === 'watch' || verb === 'proxy') return 0
    let count = this.#counts.get(watchKey(group, resource, '', '')) ?? 0
    if (namespace !== '') count += this.#counts.get(watchKey(group, resource, namespace, '')) ?? 0
    if (name !== '') count += this.#counts.get(watchKey(group, resource, namespace, name)) ?? 0
    return count
  }
}

/** No part contains a slash. */
const watchKey = (group: string, resource: string, namespace: string, name: string): string => `${group}/${resource}/${namespace}/${name}`

function isIndexed(field: string, selector: string | null): boolean {
  if (selector === null || selector.length > LONG_SELECTOR || !selector.includes(field)) return false
  const terms = ifReadable(() => parseFieldSelector(selector))
  const value = terms && new FieldMatcher(terms).required(field)
  return value !== undefined && value !== ''
}
