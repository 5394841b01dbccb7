import type { WhyStep } from '../meta/why.ts'
import type { ListOptions } from '../registry/read.ts'

type ReadQuery = Pick<ListOptions, 'resourceVersion'> & Partial<Pick<ListOptions, 'resourceVersionMatch' | 'limit' | 'continue'>>

/**
 * Describes the options of a read and their meaning for a resource with a watch cache (`cached`) or without.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
 */
export const readStep = (asked: ReadQuery, cached: boolean): WhyStep => ({
  step: 'read',
  resourceVersion: asked.resourceVersion,
  resourceVersionMatch: asked.resourceVersionMatch ?? '',
  meaning: meaningOf(asked, cached),
})

/** Returns where a read is served from, by the semantics of `resourceVersion` and `resourceVersionMatch`. */
function meaningOf({ resourceVersion, resourceVersionMatch = '', limit = 0, continue: token = '' }: ReadQuery, cached: boolean): string {
  const from = cached ? 'the watch cache' : 'the store'
  if (token !== '')
    return 'the next page of a list, at the revision of its first page: from the watch cache if it still has that revision, otherwise from the store'
  if (resourceVersion === '')
    return cached
      ? 'the latest state: from the watch cache, when it has reached the current revision of the store'
      : 'the latest state: from the store, because the resource has no watch cache'
  if (resourceVersion === '0') return `any state: ${from} as it is now`
  if (resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0))
    return `the state at exactly ${resourceVersion}: from the watch cache if it still has that revision, otherwise from the store`
  return `a state not older than ${resourceVersion}: from ${from}, when it has reached that revision`
}
