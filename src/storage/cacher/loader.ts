import type { Clock } from '../../lib/clock.ts'
import { eachAtOnce } from '../../lib/each-at-once.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { Backend, KeyValue, RangePage, VisitedItem } from '../backend.ts'
import { prefixEnd } from '../key-range.ts'
import { rangePages } from '../range-pages.ts'
import { type Key, key, type Revision } from '../revision.ts'
import type { SavedStates } from './cacher-types.ts'
import type { Loading, ResourceCache } from './resource-cache.ts'
import { ResourceCache as Cache } from './resource-cache.ts'

/** Number of keys up to which a store is read in one range. */
const SMALL_STORE = 1000
/** Objects that the first round reads of each resource, and the factor by which each later round reads more. */
const FIRST_ROUND = 500
const ROUND_FACTOR = 8
/**
 * Resources that are read at once. The store then prepares pages of a large resource while those of others arrive, as
 * many small resources take longer than one page.
 */
const AT_ONCE = 4

/** States that have been read at one revision and are not in the caches yet. */
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
  /**
   * Continues until so many objects are read or the range ends. Resolves to whether all are read. Rejects with
   * BackendError.
   */
  readUpTo(objects: number): Promise<boolean>
}

/** Starts a load of a resource at a revision. Default: the newest. */
export function resourceLoad(backend: Backend, cache: ResourceCache, at: Revision | undefined, signal: AbortSignal): ResourceLoad {
  const { prefix } = cache.resource
  const state = Cache.loading()
  const { stored } = cache.counts
  let streamed = false
  let milliseconds = 0
  const onStream = () => {
    streamed = true
  }
  const query = {
    start: prefix,
    end: prefixEnd(prefix),
    onStream,
    visit: (item: VisitedItem) => cache.load(state, item),
    ...(at !== undefined && { at }),
  }
  let pages: AsyncGenerator<RangePage, void> | undefined
  let revision = at
  const readOn = async (objects: number): Promise<boolean> => {
    pages ??= rangePages(backend, query, signal)
    while (state.objects.size < objects) {
      const { done, value: page } = await pages.next()
      if (done) return true
      revision ??= page.revision
      await inSlices(page.items, item => cache.load(state, item))
      if (!page.more) return true
    }
    return false
  }
  return {
    cache,
    state,
    get revision() {
      return revision
    },
    async readUpTo(objects) {
      const begun = performance.now()
      const isWhole = await readOn(objects)
      milliseconds += performance.now() - begun
      if (!isWhole) return false
      const { size } = state.objects
      stored.lists++
      stored.fetched += size + state.corrupt.size
      stored.evaluated += size
      stored.returned += size
      stored.took(milliseconds, streamed)
      return true
    },
  }
}

/** Runs a load of these resources. Records its start, and counts a failure for each of them. */
export async function measuredLoad(
  caches: readonly ResourceCache[],
  clock: Clock,
  load: (caches: readonly ResourceCache[]) => Promise<void>,
): Promise<void> {
  const now = clock.now()
  for (const cache of caches) cache.readSince = now
  try {
    await load(caches)
  } catch (error) {
    for (const { counts } of caches) counts.failedLoads++
    throw error
  }
}

/** Returns the store's newest revision, or its whole state if it is small. */
export async function loadSmall(
  backend: Backend,
  caches: readonly ResourceCache[],
  route: (key: Key) => ResourceCache | undefined,
  signal: AbortSignal,
): Promise<LoadedState | Revision> {
  const common = commonPrefix(caches.map(cache => cache.resource.prefix))
  if (common === '') return backend.currentRevision(signal)
  const { items, more, revision } = await backend.range({ start: common, end: prefixEnd(common), limit: SMALL_STORE }, signal)
  if (more) return revision
  const states = new Map(caches.map(cache => [cache, Cache.loading()]))
  await inSlices(items, item => {
    const cache = route(item.key)
    const into = cache && states.get(cache)
    if (cache && into) cache.load(into, item)
  })
  return { revision, states }
}

/**
 * Reads the states of all resources at one revision: a small store in one range, a larger one by resource, in pages.
 */
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
 * Reads resources at one revision in rounds. Each round continues a resource until it has eight times as many objects
 * as after the round before. Resources with few objects are therefore complete first, and none waits for more than
 * eight times its own objects of each other resource, without counting any of them. A few resources are read at once.
 * `done` is called with each load that completes, `failed` with each that fails.
 */
export async function loadInRounds(
  loads: readonly ResourceLoad[],
  done: (load: ResourceLoad) => void,
  failed: (load: ResourceLoad, error: unknown) => void,
): Promise<void> {
  let left = loads
  for (let objects = FIRST_ROUND; left.length > 0; objects *= ROUND_FACTOR) {
    const longer: ResourceLoad[] = []
    await eachAtOnce(left, AT_ONCE, async load => {
      try {
        if (await load.readUpTo(objects)) done(load)
        else longer.push(load)
      } catch (error) {
        failed(load, error)
      }
    })
    left = longer
  }
}

/**
 * Copies the states of another cacher, of whose store this one's is a copy. Missing ones are read at their revision.
 */
export async function copyAll(
  backend: Backend,
  caches: readonly ResourceCache[],
  { revision, of }: SavedStates,
  signal: AbortSignal,
): Promise<LoadedState> {
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

/** Calls `each` in slices: decoding a page takes longer than one turn may. */
async function inSlices(items: readonly KeyValue[], each: (item: KeyValue) => void): Promise<void> {
  for (const item of items) {
    each(item)
    if (turnIsSpent()) await nextTurn()
  }
}

/** Returns the longest common prefix that ends with a slash; empty if only the first slash is common. */
function commonPrefix(prefixes: readonly Key[]): Key {
  const [first = '', ...others] = prefixes
  let length = first.length
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--
  const slash = first.slice(0, length).lastIndexOf('/')
  return key(slash > 0 ? first.slice(0, slash + 1) : '')
}
