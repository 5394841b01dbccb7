import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { Backend, KeyValue, RangePage } from '../backend.ts'
import { prefixEnd } from '../key-range.ts'
import { rangePages } from '../range-pages.ts'
import { type Key, key, type Revision } from '../revision.ts'
import type { KeptStates } from './cacher-types.ts'
import type { Loading, ResourceCache } from './resource-cache.ts'
import { ResourceCache as Cache } from './resource-cache.ts'

/** A store with no more keys than this is read at once. */
const smallStore = 1000
/** Objects of each resource that are read in the first round, and how many times as many in each later one. */
const firstRound = 500
const roundFactor = 8

/** States that were read, all of one revision. They are not in the caches yet. */
export interface LoadedState {
  readonly revision: Revision
  readonly states: ReadonlyMap<ResourceCache, Loading>
}

/** A resource whose state is being read. */
export interface ResourceLoad {
  readonly cache: ResourceCache
  readonly state: Loading
  /** Revision of the state. Undefined until the first page is read, unless it was given. */
  readonly revision: Revision | undefined
  /** Reads on until so many objects are read or the range ends. Resolves to whether all are read. Rejects with BackendError. */
  readUpTo(objects: number): Promise<boolean>
}

/** Begins to read a resource at a revision. Default: the newest. */
export function resourceLoad(backend: Backend, cache: ResourceCache, at: Revision | undefined, signal: AbortSignal): ResourceLoad {
  const { prefix } = cache.resource
  const state = Cache.loading()
  const query = { start: prefix, end: prefixEnd(prefix), visit: (item: KeyValue) => cache.load(state, item), ...(at !== undefined && { at }) }
  let pages: AsyncGenerator<RangePage, void> | undefined
  let revision = at
  return {
    cache,
    state,
    get revision() {
      return revision
    },
    async readUpTo(objects) {
      pages ??= rangePages(backend, query, signal)
      while (state.tree.size < objects) {
        const { done, value: page } = await pages.next()
        if (done) return true
        revision ??= page.revision
        await inSlices(page.items, item => cache.load(state, item))
        if (!page.more) return true
      }
      return false
    },
  }
}

/** The store's newest revision, with all of its state if it is small. */
export async function loadSmall(
  backend: Backend,
  caches: readonly ResourceCache[],
  route: (key: Key) => ResourceCache | undefined,
  signal: AbortSignal,
): Promise<LoadedState | Revision> {
  const common = commonPrefix(caches.map(cache => cache.resource.prefix))
  if (common === '') return backend.currentRevision(signal)
  const { items, more, revision } = await backend.range({ start: common, end: prefixEnd(common), limit: smallStore }, signal)
  if (more) return revision
  const states = new Map(caches.map(cache => [cache, Cache.loading()]))
  await inSlices(items, item => {
    const cache = route(item.key)
    const into = cache && states.get(cache)
    if (cache && into) cache.load(into, item)
  })
  return { revision, states }
}

/** Reads the state of all resources at one revision: a small store in one range, a larger one resource by resource in pages. */
export async function loadAll(
  backend: Backend,
  caches: readonly ResourceCache[],
  route: (key: Key) => ResourceCache | undefined,
  signal: AbortSignal,
): Promise<LoadedState> {
  const small = await loadSmall(backend, caches, route, signal)
  if (typeof small === 'object') return small
  const states = new Map<ResourceCache, Loading>()
  for (const cache of caches) states.set(cache, await loadState(backend, cache, small, signal))
  return { revision: small, states }
}

/**
 * Reads resources at one revision in rounds, each of which reads on a resource until it has eight times as many objects as in the round before. So those with few objects are complete first, and none waits for more
 * than eight times its own objects of each other, without a count of any. `done` is called with each when it is complete, `failed` with one that can't be read.
 */
export async function loadInRounds(
  loads: readonly ResourceLoad[],
  done: (load: ResourceLoad) => void,
  failed: (load: ResourceLoad, error: unknown) => void,
): Promise<void> {
  let left = loads
  for (let objects = firstRound; left.length > 0; objects *= roundFactor) {
    const longer: ResourceLoad[] = []
    for (const load of left) {
      try {
        if (await load.readUpTo(objects)) done(load)
        else longer.push(load)
      } catch (error) {
        failed(load, error)
      }
    }
    left = longer
  }
}

/** Copies the states that another cacher has kept, of a store of which this one is a copy, and reads at their revision what they lack. */
export async function copyAll(backend: Backend, caches: readonly ResourceCache[], { revision, of }: KeptStates, signal: AbortSignal): Promise<LoadedState> {
  const states = new Map<ResourceCache, Loading>()
  for (const cache of caches) {
    const kept = of.get(cache.resource.prefix)
    if (kept === undefined) states.set(cache, await loadState(backend, cache, revision, signal))
    else {
      const into = Cache.loading()
      await cache.copy(into, kept)
      states.set(cache, into)
    }
  }
  return { revision, states }
}

async function loadState(backend: Backend, cache: ResourceCache, at: Revision, signal: AbortSignal): Promise<Loading> {
  const load = resourceLoad(backend, cache, at, signal)
  await load.readUpTo(Number.POSITIVE_INFINITY)
  return load.state
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
