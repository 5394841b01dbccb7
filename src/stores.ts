import { invariant } from './lib/invariant.ts'
import type { Backend } from './storage/backend.ts'
import { createCacher } from './storage/cacher/cacher.ts'
import type { Cacher, CacherOptions } from './storage/cacher/cacher-types.ts'
import type { CachedResource } from './storage/cacher/resource-cache.ts'
import { DirectStorage } from './storage/direct/direct-storage.ts'
import { prefixEnd } from './storage/key-range.ts'
import { ListCounts } from './storage/list-counts.ts'
import type { Revision } from './storage/revision.ts'
import type { Storage } from './storage/storage.ts'

export interface StoresOptions extends CacherOptions {
  /** Whether a resource (`pods`, `deployments.apps`) is read through the watch cache. Default: every one. */
  readonly isCached?: (name: string) => boolean
}

/** The storages of all resources, with a watch cache or without. */
export interface Stores {
  /** Absent where nothing is cached. */
  readonly cacher?: Pick<Cacher, 'stats'>
  storageFor(name: string): Storage
  /** One more resource. */
  add(resource: CachedResource): void
  /** A resource that is stored no longer: its watches through the cache end. */
  remove(name: string): void
  /** The caches are filled. Stays true. */
  ready(): boolean
  /** Resolves when `ready`. */
  synced(signal: AbortSignal): Promise<void>
  /** Objects of each resource; of those without a cache as counted within the last minute. */
  counts(): (readonly [name: string, objects: number])[]
  /** Lists of each resource that the store answered. */
  listCounts(): (readonly [name: string, ListCounts])[]
  /** Forgets the history up to a revision that the store is compacted to. */
  forget(upTo: Revision): void
  close(): Promise<void>
}

/** Milliseconds between two counts of what is not cached: kube-apiserver's --etcd-count-metric-poll-period. */
const COUNT_EVERY_MS = 60_000
/** A count may take so long. */
const COUNT_MS = 10_000

/** Where nothing is cached there is no watch of the store but those that clients ask for. */
export function openStores(backend: Backend, resources: readonly CachedResource[], { isCached = () => true, ...options }: StoresOptions): Stores {
  const cached = resources.filter(({ name }) => isCached(name))
  const cacher: Cacher | undefined = cached.length === 0 ? undefined : createCacher(backend, cached, options)
  const uncached: CachedResource[] = resources.filter(({ name }) => !isCached(name))
  const { reports, timings } = options
  const listed = new Map(uncached.map(({ name }) => [name, new ListCounts()]))
  const openDirect = ({ name, codec }: CachedResource): Storage =>
    new DirectStorage(timings?.timed(backend, name) ?? backend, codec, {
      revisionWaitMs: 0,
      futureFails: true,
      counts: listed.get(name) ?? new ListCounts(),
      ...(reports && { reports }),
    })
  const direct = new Map<string, Storage>(uncached.map(resource => [resource.name, openDirect(resource)]))
  const counting = countNow(backend, uncached)
  return {
    ...(cacher && { cacher }),
    storageFor(name) {
      const storage = direct.get(name) ?? cacher?.storageFor(name)
      invariant(storage, `${name} is not stored`)
      return storage
    },
    add(resource) {
      if (cacher && isCached(resource.name)) {
        cacher.addResource(resource)
        return
      }
      uncached.push(resource)
      listed.set(resource.name, new ListCounts())
      direct.set(resource.name, openDirect(resource))
    },
    remove(name) {
      if (!direct.delete(name)) return cacher?.removeResource(name)
      listed.delete(name)
      counting.counts.delete(name)
      uncached.splice(
        uncached.findIndex(resource => resource.name === name),
        1,
      )
    },
    ready: () => cacher?.ready() ?? true,
    synced: async signal => cacher?.synced(signal),
    counts: () => [...(cacher?.stats().resources.map(({ name, objects }) => [name, objects] as const) ?? []), ...counting.counts],
    listCounts: () => [...(cacher?.stats().resources.map(({ name, counts }) => [name, counts.stored] as const) ?? []), ...listed],
    forget: upTo => cacher?.forget(upTo),
    async close() {
      counting.stop()
      await cacher?.close()
    },
  }
}

function countNow(backend: Backend, resources: readonly CachedResource[]): { counts: Map<string, number>; stop(): void } {
  const counts = new Map<string, number>()
  if (resources.length === 0) return { counts, stop: () => {} }
  const count = async (): Promise<void> => {
    for (const { name, prefix } of resources) {
      try {
        const { count } = await backend.range({ start: prefix, end: prefixEnd(prefix), countOnly: true }, AbortSignal.timeout(COUNT_MS))
        counts.set(name, count)
      } catch {
        // Upstream tells -1 of what could not be counted.
        counts.set(name, -1)
      }
    }
  }
  void count()
  const timer = setInterval(() => void count(), COUNT_EVERY_MS)
  timer.unref()
  return { counts, stop: () => clearInterval(timer) }
}
