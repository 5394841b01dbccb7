import type { LoadingResource } from './cacher-types.ts'
import type { ResourceLoad } from './loader.ts'
import type { ResourceCache } from './resource-cache.ts'

/** Resources whose initial state is not loaded yet. The server is ready when none is left. */
export class AwaitedStates {
  readonly #loads = new Map<ResourceCache, ResourceLoad | undefined>()
  #hasBegun = false
  #isReady = false

  /** Whether all initial states have been loaded at some time since `begin`. Stays true. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Adds a resource that readiness depends on. */
  add(cache: ResourceCache): void {
    this.#loads.set(cache, undefined)
  }

  /** Records the load of a resource, for its progress. Does nothing if the resource is loaded already. */
  reads(load: ResourceLoad): void {
    if (this.#loads.has(load.cache)) this.#loads.set(load.cache, load)
  }

  /** Called when the store is reached and all resources known by then have been added. */
  begin(): void {
    this.#hasBegun = true
    this.#update()
  }

  /** Removes a resource that is loaded, or is no longer served. */
  remove(cache: ResourceCache): void {
    this.#loads.delete(cache)
    this.#update()
  }

  #update(): void {
    if (this.#hasBegun && this.#loads.size === 0) this.#isReady = true
  }

  /** Lists the awaited resources with the number of objects read so far. */
  list(): readonly LoadingResource[] {
    return [...this.#loads].map(([{ resource }, load]) => ({ name: resource.name, objects: load?.state.objects.size ?? 0 }))
  }
}
