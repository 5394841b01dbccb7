import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { Backend, KeyValue, RangePage } from '../backend.ts'
import { keyAfter, prefixEnd } from '../key-range.ts'
import { type Key, key, type Revision } from '../revision.ts'
import type { KeptStates } from './cacher-types.ts'
import type { Loading, ResourceCache } from './resource-cache.ts'
import { ResourceCache as Cache } from './resource-cache.ts'

/** A store with no more keys than this is read at once. */
const smallStore = 1000
/** Keys of a first page; later ones have about so many bytes. A store counts all that is left at every page, so the fewer the better. */
const firstPage = 500
const pageBytes = 6 << 20
const longestPage = 20_000

/** States that were read, all of one revision. They are not in the caches yet. */
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

/** Copies the states that another cacher has kept, of a store of which this one is a copy, and reads at their revision what they lack. */
export async function copyAll(backend: Backend, caches: readonly ResourceCache[], { revision, of }: KeptStates, signal: AbortSignal): Promise<LoadedState> {
  const states = new Map(caches.map(cache => [cache, Cache.loading()]))
  for (const [cache, into] of states) {
    const kept = of.get(cache.resource.prefix)
    if (kept !== undefined) await cache.copy(into, kept)
    else await loadPages(backend, cache, into, revision, signal)
  }
  return { revision, states }
}

/** Reads one resource at the newest revision, which it resolves to. */
export async function loadOne(backend: Backend, cache: ResourceCache, signal: AbortSignal): Promise<LoadedState> {
  const into = Cache.loading()
  const revision = await loadPages(backend, cache, into, undefined, signal)
  return { revision, states: new Map([[cache, into]]) }
}

/** Every page at the revision of the first, or at the given one. The next is asked for while one is taken in. Resolves to the revision. */
async function loadPages(backend: Backend, cache: ResourceCache, into: Loading, at: Revision | undefined, signal: AbortSignal): Promise<Revision> {
  const { prefix } = cache.resource
  const end = prefixEnd(prefix)
  const read = (start: Key, limit: number, pinned: Revision | undefined): Promise<RangePage> =>
    backend.range({ start, end, limit, ...(pinned !== undefined && { at: pinned }) }, signal)
  let page = await read(prefix, firstPage, at)
  const pinned = at ?? page.revision
  for (;;) {
    const last = page.items.at(-1)
    // The store makes the next page while this one is taken in.
    const next = page.more && last !== undefined ? read(keyAfter(last.key), nextLimit(page), pinned) : undefined
    next?.catch(() => {})
    await inSlices(page.items, item => cache.load(into, item))
    if (next === undefined) return pinned
    page = await next
  }
}

/** So many keys that a page has about `pageBytes`, as those of the last page go. */
function nextLimit({ items }: RangePage): number {
  let bytes = 0
  for (const { key, value } of items) bytes += key.length + value.length
  return Math.min(longestPage, Math.max(firstPage, Math.floor((pageBytes * items.length) / bytes)))
}

/** Decoding a page takes longer than a turn may. */
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
  return key(slash > 0 ? first.slice(0, slash + 1) : '')
}
