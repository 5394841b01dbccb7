import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { Backend, KeyValue } from '../backend.ts'
import { keyAfter, prefixEnd } from '../key-range.ts'
import type { Key, Revision } from '../revision.ts'
import type { Loading, ResourceCache } from './resource-cache.ts'
import { ResourceCache as Cache } from './resource-cache.ts'

/** A store with no more keys than this is read at once. */
const smallStore = 1000
const pageSize = 500

export interface LoadedState {
  readonly revision: Revision
  readonly states: ReadonlyMap<ResourceCache, Loading>
}

/** Reads the state of all resources at one revision: a small store in one range, a larger one resource by resource in pages. */
export async function loadAll(
  backend: Backend,
  caches: readonly ResourceCache[],
  route: (key: Key) => ResourceCache | undefined,
  signal: AbortSignal,
): Promise<LoadedState> {
  const states = new Map(caches.map(cache => [cache, Cache.loading()]))
  const common = commonPrefix(caches.map(cache => cache.resource.prefix))
  if (common === '') {
    const revision = await backend.currentRevision(signal)
    for (const [cache, into] of states) await loadPages(backend, cache, into, revision, signal)
    return { revision, states }
  }
  const first = await backend.range({ start: common, end: prefixEnd(common), limit: smallStore }, signal)
  if (first.more) for (const [cache, into] of states) await loadPages(backend, cache, into, first.revision, signal)
  else {
    await inSlices(first.items, item => {
      const cache = route(item.key)
      const into = cache && states.get(cache)
      if (cache && into) cache.load(into, item)
    })
  }
  return { revision: first.revision, states }
}

/** Reads one resource at the newest revision, which it resolves to. */
export async function loadOne(backend: Backend, cache: ResourceCache, signal: AbortSignal): Promise<LoadedState> {
  const into = Cache.loading()
  const revision = await loadPages(backend, cache, into, undefined, signal)
  return { revision, states: new Map([[cache, into]]) }
}

async function loadPages(backend: Backend, cache: ResourceCache, into: Loading, at: Revision | undefined, signal: AbortSignal): Promise<Revision> {
  const { prefix } = cache.resource
  const end = prefixEnd(prefix)
  let start = prefix
  let pinned = at
  for (;;) {
    const page = await backend.range({ start, end, limit: pageSize, ...(pinned !== undefined && { at: pinned }) }, signal)
    pinned ??= page.revision
    await inSlices(page.items, item => cache.load(into, item))
    const last = page.items.at(-1)
    if (!page.more || last === undefined) return pinned
    start = keyAfter(last.key)
  }
}

async function inSlices(items: readonly KeyValue[], each: (item: KeyValue) => void): Promise<void> {
  for (const item of items) {
    each(item)
    if (turnIsSpent()) await nextTurn()
  }
}

/** Up to the last slash that all share; empty where they share none but the first. */
function commonPrefix(prefixes: readonly Key[]): Key {
  const [first = '', ...others] = prefixes
  let length = first.length
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--
  const slash = first.slice(0, length).lastIndexOf('/')
  return (slash > 0 ? first.slice(0, slash + 1) : '') as Key
}
