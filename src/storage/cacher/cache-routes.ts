import type { BackendEvent } from '../backend.ts'
import type { Key } from '../revision.ts'
import type { ResourceCache } from './resource-cache.ts'

/** A removed cache that follows the store until its watches end. */
interface LingeringCache {
  readonly cache: ResourceCache
  /** Timer that ends its watches. */
  readonly end: NodeJS.Timeout
}

/** The caches of a cacher by the key prefix of their resources. Events of the store are applied through it. */
export class CacheRoutes {
  readonly #routes = new Map<Key, ResourceCache>()
  readonly #lingering = new Map<Key, LingeringCache>()

  /** Reports whether a cache has exactly this prefix. Caches that linger do not count. */
  has(prefix: Key): boolean {
    return this.#routes.has(prefix)
  }

  add(cache: ResourceCache): void {
    this.#routes.set(cache.resource.prefix, cache)
  }

  /**
   * Removes a cache and ends its watches. With `lingerMs`, a loaded cache with watches follows the store until then,
   * and ends them afterwards. At most one cache of a prefix lingers, the latest, because each holds all objects.
   */
  remove(cache: ResourceCache, lingerMs: number): void {
    const { prefix } = cache.resource
    this.#routes.delete(prefix)
    if (lingerMs > 0 && cache.loaded && cache.held === undefined && cache.interest.size > 0) {
      this.#end(prefix)
      const end = setTimeout(() => this.#end(prefix), lingerMs)
      end.unref()
      this.#lingering.set(prefix, { cache, end })
    } else cache.remove()
  }

  /** Returns the caches, without those that linger. */
  values(): ResourceCache[] {
    return [...this.#routes.values()]
  }

  /** Returns the cache of the resource with the longest prefix of the key. */
  find(key: Key): ResourceCache | undefined {
    return longestOf(this.#routes, key)
  }

  /** @param arrived see ResourceCache.apply */
  apply(event: BackendEvent, now: number, arrived?: number): void {
    this.find(event.key)?.apply(event, now, arrived)
    if (this.#lingering.size > 0) longestOf(this.#lingering, event.key)?.cache.apply(event, now, arrived)
  }

  /** Ends the watches of all removed caches: changes were lost, or the server stops. */
  endLingering(): void {
    for (const prefix of [...this.#lingering.keys()]) this.#end(prefix)
  }

  /** Ends the lingering cache of a prefix, if there is one. */
  #end(prefix: Key): void {
    const lingering = this.#lingering.get(prefix)
    if (lingering === undefined) return
    this.#lingering.delete(prefix)
    clearTimeout(lingering.end)
    lingering.cache.remove()
  }
}

/** Returns the value of the longest prefix of the key. */
function longestOf<T>(byPrefix: ReadonlyMap<string, T>, key: Key): T | undefined {
  let found: T | undefined
  for (let slash = key.indexOf('/', 1); slash >= 0; slash = key.indexOf('/', slash + 1))
    found = byPrefix.get(key.slice(0, slash + 1)) ?? found
  return found
}
