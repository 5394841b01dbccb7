import { setMaxListeners } from 'node:events'
import { invariant } from '../lib/invariant.ts'
import type { Backend } from '../storage/backend.ts'
import { createCacher } from '../storage/cacher/cacher.ts'
import type { Cacher, CacherOptions, KeptStates, LoadingResource } from '../storage/cacher/cacher-types.ts'
import type { CachedResource } from '../storage/cacher/resource-cache.ts'
import { DirectStorage } from '../storage/direct/direct-storage.ts'
import { prefixEnd } from '../storage/key-range.ts'
import { ListCounts } from '../storage/list-metrics.ts'
import type { Revision } from '../storage/revision.ts'
import type { Storage } from '../storage/storage.ts'

export interface StoresOptions extends CacherOptions {
  /** Whether a resource (`pods`, `deployments.apps`) is read through the watch cache. Default: every one. */
  readonly isCached?: (name: string) => boolean
}

/** The storages of all resources, with a watch cache or without. */
export interface Stores {
  /** None where nothing is cached. */
  readonly cachers: readonly Pick<Cacher, 'stats'>[]
  storageFor(name: string): Storage
  /** One more resource, which is cached where the others are. */
  add(resource: CachedResource): void
  /** Forgets it, and ends its watches. */
  remove(name: string): void
  /** The caches are filled. Stays true. */
  ready(): boolean
  /** Resources whose caches are not filled yet. */
  loading(): readonly LoadingResource[]
  /** Resolves when `ready`. */
  synced(signal: AbortSignal): Promise<void>
  /** Objects of each resource; of those without a cache as counted within the last minute. */
  counts(): (readonly [name: string, objects: number])[]
  /** The same of one of them; undefined where it is not known, -1 where it could not be counted. */
  count(name: string): number | undefined
  /** Bytes of an object of a resource, on average; 0 where nothing of it is cached. */
  averageBytes(name: string): number
  /** Lists of each resource that the store answered. */
  listCounts(): (readonly [name: string, ListCounts])[]
  /** For a copy of the store: the states of what is cached; undefined until there are. */
  kept(): KeptStates | undefined
  /** Describes how the store of a resource is followed, if there is a choice. Default: the store of those that are added later. */
  following(name?: string): string | undefined
  /** Forgets the history up to a revision that the store is compacted to. */
  forget(upTo: Revision): void
  close(): Promise<void>
}

/** Milliseconds between two counts of what is not cached: kube-apiserver's --etcd-count-metric-poll-period. */
const COUNT_EVERY_MS = 60_000
/** A count may take so long. */
const COUNT_MS = 10_000

interface Uncached {
  readonly resource: CachedResource
  readonly storage: Storage
  readonly lists: ListCounts
  readonly removed: AbortController
}

/** Where nothing is cached there is no watch of the store but those that clients ask for. */
export function openStores(backend: Backend, resources: readonly CachedResource[], { isCached = () => true, ...options }: StoresOptions): Stores {
  const cached = resources.filter(({ name }) => isCached(name))
  const cacher: Cacher | undefined = cached.length === 0 ? undefined : createCacher(backend, cached, options)
  const { reports, timings, timers, futureCode } = options
  const uncached = new Map<string, Uncached>()
  const addUncached = (resource: CachedResource): void => {
    const { name, codec } = resource
    const lists = new ListCounts()
    const removed = new AbortController()
    setMaxListeners(0, removed.signal) // one a watch
    const storage = new DirectStorage(timings?.timed(backend, name) ?? backend, codec, {
      revisionWaitMs: 0,
      futureFails: true,
      futureCode,
      removed: removed.signal,
      counts: lists,
      timers,
      ...(reports && { reports }),
    })
    uncached.set(name, { resource, storage, lists, removed })
  }
  for (const resource of resources) if (!isCached(resource.name)) addUncached(resource)
  const counting = countNow(backend, uncached)
  return {
    cachers: cacher ? [cacher] : [],
    storageFor(name) {
      const storage = uncached.get(name)?.storage ?? cacher?.storageFor(name)
      invariant(storage, `${name} is not stored`)
      return storage
    },
    add(resource) {
      if (cacher !== undefined && isCached(resource.name)) cacher.addResource(resource)
      else addUncached(resource)
    },
    remove(name) {
      const found = uncached.get(name)
      if (!found) return cacher?.removeResource(name)
      uncached.delete(name)
      found.removed.abort()
    },
    ready: () => cacher?.ready() ?? true,
    loading: () => cacher?.loading() ?? [],
    synced: async signal => cacher?.synced(signal),
    counts: () => [...(cacher?.stats().resources.map(({ name, objects }) => [name, objects] as const) ?? []), ...counting.counts()],
    count: name => cacher?.count(name) ?? counting.count(name),
    averageBytes: name => cacher?.averageBytes(name) ?? 0,
    listCounts: () => [
      ...(cacher?.stats().resources.map(({ name, counts }) => [name, counts.stored] as const) ?? []),
      ...[...uncached].map(([name, { lists }]) => [name, lists] as const),
    ],
    kept: () => cacher?.kept(),
    following: () => cacher?.following(),
    forget: upTo => cacher?.forget(upTo),
    async close() {
      counting.stop()
      await cacher?.close()
    },
  }
}

interface Counting extends Pick<Stores, 'count' | 'counts'> {
  stop(): void
}

/** Counts what is not cached now and then. */
function countNow(backend: Backend, uncached: ReadonlyMap<string, Uncached>): Counting {
  const counts = new Map<string, number>()
  const count = async (): Promise<void> => {
    for (const [name, { resource }] of uncached) {
      const { prefix } = resource
      try {
        const { count } = await backend.range({ start: prefix, end: prefixEnd(prefix), countOnly: true }, AbortSignal.timeout(COUNT_MS))
        counts.set(name, count ?? -1)
      } catch {
        // Upstream reports -1 for what could not be counted.
        counts.set(name, -1)
      }
    }
  }
  void count()
  const timer = setInterval(() => void count(), COUNT_EVERY_MS)
  timer.unref()
  return {
    counts: () => [...counts].filter(([name]) => uncached.has(name)),
    count: name => (uncached.has(name) ? counts.get(name) : undefined),
    stop: () => clearInterval(timer),
  }
}
