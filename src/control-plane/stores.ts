import { setMaxListeners } from 'node:events'
import { invariant } from '../lib/invariant.ts'
import type { Backend } from '../storage/backend.ts'
import { createCacher } from '../storage/cacher/cacher.ts'
import type { Cacher, CacherOptions, LoadingResource, SavedStates } from '../storage/cacher/cacher-types.ts'
import type { CachedResource } from '../storage/cacher/resource-cache.ts'
import { DirectStorage } from '../storage/direct/direct-storage.ts'
import { prefixEnd } from '../storage/key-range.ts'
import { ListCounts } from '../storage/list-metrics.ts'
import type { Revision } from '../storage/revision.ts'
import type { Storage } from '../storage/storage.ts'

/** Options of `openStores`. */
export interface StoresOptions extends CacherOptions {
  /** Whether a resource (`pods`, `deployments.apps`) is read through the watch cache. Default: every one. */
  readonly isCached?: (name: string) => boolean
}

/** Storage of all resources, with or without a watch cache. */
export interface Stores {
  /** Empty if nothing is cached. */
  readonly cachers: readonly Pick<Cacher, 'stats'>[]
  /** Returns the storage of a resource, which must have been added. */
  storageFor(name: string): Storage
  /** Adds a resource. Whether it is cached follows from the options. */
  add(resource: CachedResource): void
  /** Removes a resource and ends its watches, after `lingerMs` if that is given. */
  remove(name: string, lingerMs?: number): void
  /** Whether all caches are filled. Latches. */
  ready(): boolean
  /** Resources whose caches are still filling. */
  loading(): readonly LoadingResource[]
  /** Resolves when `ready` returns true. */
  synced(signal: AbortSignal): Promise<void>
  /** Number of objects per resource. Counts of uncached resources are up to a minute old. */
  counts(): (readonly [name: string, objects: number])[]
  /** Number of objects of one resource. Undefined if unknown, -1 if counting failed. */
  count(name: string): number | undefined
  /** Average size of an object in bytes. 0 if the resource is not cached or empty. */
  averageBytes(name: string): number
  /** Counts of lists that the store served, per resource. */
  listCounts(): (readonly [name: string, ListCounts])[]
  /** Returns the states of the watch caches for a copy of the store. Undefined until they are filled. */
  kept(): SavedStates | undefined
  /**
   * Describes how changes of a store are followed, if the backend has a choice. Default: the store of resources added
   * later.
   */
  following(name?: string): string | undefined
  /** Drops history up to a revision to which the store is compacted. */
  forget(upTo: Revision): void
  /** Ends counting and closes the caches. */
  close(): Promise<void>
}

/** Interval between counts of uncached resources, in milliseconds: kube-apiserver's --etcd-count-metric-poll-period. */
const COUNT_EVERY_MS = 60_000
/** Timeout of one count, in milliseconds. */
const COUNT_MS = 10_000

/** A resource without a watch cache. */
interface Uncached {
  /** Name, keys and codec of the resource. */
  readonly resource: CachedResource
  /** Storage that reads the backend. */
  readonly storage: Storage
  readonly lists: ListCounts
  /** Aborted when the resource is removed. */
  readonly removed: AbortController
}

/** Opens the storage of a resource that is read from the backend. */
function openUncached(
  backend: Backend,
  resource: CachedResource,
  { reports, timings, timers, futureCode }: Pick<CacherOptions, 'reports' | 'timings' | 'timers' | 'futureCode'>,
): Uncached {
  const { name, codec } = resource
  const lists = new ListCounts()
  const removed = new AbortController()
  setMaxListeners(0, removed.signal) // one listener per watch
  const storage = new DirectStorage(timings?.timed(backend, name) ?? backend, codec, {
    revisionWaitMs: 0,
    futureFails: true,
    futureCode,
    removed: removed.signal,
    counts: lists,
    timers,
    ...(reports && { reports }),
  })
  return { resource, storage, lists, removed }
}

/**
 * Opens the storage of all resources on one backend. Without cached resources the backend is watched only for watches
 * of clients.
 */
export function openStores(
  backend: Backend,
  resources: readonly CachedResource[],
  { isCached = () => true, ...options }: StoresOptions,
): Stores {
  const cached = resources.filter(({ name }) => isCached(name))
  const cacher: Cacher | undefined = cached.length === 0 ? undefined : createCacher(backend, cached, options)
  const uncached = new Map<string, Uncached>()
  const addUncached = (resource: CachedResource): void => void uncached.set(resource.name, openUncached(backend, resource, options))
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
    remove(name, lingerMs = 0) {
      const found = uncached.get(name)
      if (!found) return cacher?.removeResource(name, lingerMs)
      uncached.delete(name)
      if (lingerMs === 0) found.removed.abort()
      else setTimeout(() => found.removed.abort(), lingerMs).unref()
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

/** Counts of uncached resources. */
interface Counting extends Pick<Stores, 'count' | 'counts'> {
  /** Ends the periodic counting. */
  stop(): void
}

/** Counts the objects of uncached resources periodically, starting now. */
function countNow(backend: Backend, uncached: ReadonlyMap<string, Uncached>): Counting {
  const counts = new Map<string, number>()
  const count = async (): Promise<void> => {
    for (const [name, { resource }] of uncached) {
      const { prefix } = resource
      try {
        const { count } = await backend.range({ start: prefix, end: prefixEnd(prefix), countOnly: true }, AbortSignal.timeout(COUNT_MS))
        counts.set(name, count ?? -1)
      } catch {
        // Upstream reports -1 if counting fails.
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
