import type { RequestInfo } from '../meta/context.ts'
import { FieldMatcher, parseFieldSelector } from '../meta/field-selector.ts'
import { ifReadable } from '../meta/selector-error.ts'

/** Watches that select by these fields are found by an index of the watch cache, so that few of them see an event. */
const INDEXED: ReadonlyMap<string, string> = new Map([['pods', 'spec.nodeName']])
/** A longer selector is taken for one that selects by nothing: parsing it would cost more than the count is worth. */
const LONG_SELECTOR = 4096

type Watched = Pick<RequestInfo, 'group' | 'resource' | 'namespace' | 'name'>

/**
 * How many watches see a change of which objects: what a write costs beside itself. Of watches by an indexed field only those of its empty value count, as in kube-apiserver.
 * Source: watch_tracker.go in k8s.io/apiserver, pkg/util/flowcontrol.
 */
export class WatchTracker {
  private readonly counts = new Map<string, number>()

  /** Counts a watch until the function that it returns is called, once. */
  register(info: Watched, query: Pick<URLSearchParams, 'get'>): () => void {
    const field = INDEXED.get(info.resource)
    if (field !== undefined && isIndexed(field, query.get('fieldSelector'))) return () => {}
    const key = keyOf(info.group, info.resource, info.namespace, info.name)
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
    return () => {
      const left = (this.counts.get(key) ?? 0) - 1
      if (left > 0) this.counts.set(key, left)
      else this.counts.delete(key)
    }
  }

  /** Watches that may be interested in what a request writes. */
  interestedIn({ verb, group, resource, namespace, name }: Watched & Pick<RequestInfo, 'verb'>): number {
    if (this.counts.size === 0 || verb === 'get' || verb === 'list' || verb === 'watch' || verb === 'proxy') return 0
    let count = this.counts.get(keyOf(group, resource, '', '')) ?? 0
    if (namespace !== '') count += this.counts.get(keyOf(group, resource, namespace, '')) ?? 0
    if (name !== '') count += this.counts.get(keyOf(group, resource, namespace, name)) ?? 0
    return count
  }
}

/** None of its parts has a slash in it. */
const keyOf = (group: string, resource: string, namespace: string, name: string): string => `${group}/${resource}/${namespace}/${name}`

function isIndexed(field: string, selector: string | null): boolean {
  if (selector === null || selector.length > LONG_SELECTOR || !selector.includes(field)) return false
  const terms = ifReadable(() => parseFieldSelector(selector))
  const value = terms && new FieldMatcher(terms).required(field)
  return value !== undefined && value !== ''
}
