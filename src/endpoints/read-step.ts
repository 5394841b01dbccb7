import type { WhyStep } from '../meta/why.ts'
import type { ListOptions } from '../registry/read.ts'

type Asked = Pick<ListOptions, 'resourceVersion'> & Partial<Pick<ListOptions, 'resourceVersionMatch' | 'limit' | 'continue'>>

/** What a read has asked for, and what that means for a resource with a watch cache (`cached`), or without. https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list */
export const readStep = (asked: Asked, cached: boolean): WhyStep => ({
  step: 'read',
  resourceVersion: asked.resourceVersion,
  resourceVersionMatch: asked.resourceVersionMatch ?? '',
  meaning: meaningOf(asked, cached),
})

function meaningOf({ resourceVersion, resourceVersionMatch = '', limit = 0, continue: token = '' }: Asked, cached: boolean): string {
  const from = cached ? 'the watch cache' : 'the store'
  if (token !== '')
    return 'the next page of a list, in the state of its first page: from the watch cache where it still has that state, otherwise from the store'
  if (resourceVersion === '')
    return cached
      ? 'the newest state: the watch cache asks the store for its revision, and answers when it has come to it'
      : 'the newest state: from the store, as this resource has no watch cache'
  if (resourceVersion === '0') return `any state: what ${from} has now`
  if (resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0))
    return `the state at ${resourceVersion} itself: from the watch cache where it still has that state, otherwise from the store`
  return `a state as new as ${resourceVersion}, or newer: ${from} answers when it has come to it`
}
