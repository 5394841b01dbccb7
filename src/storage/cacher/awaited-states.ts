import type { LoadingResource } from './cacher-types.ts'
import type { ResourceLoad } from './loader.ts'
import type { ResourceCache } from './resource-cache.ts'

/** Resources whose first state is not there yet. The server is ready when there are none. */
export class AwaitedStates {
  readonly #loads = new Map<ResourceCache, ResourceLoad | undefined>()
  #hasBegun = false
  #isReady = false

  /** Whether all first states have been there at some time since `begin`. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Adds a resource that the server waits for. */
  add(cache: ResourceCache): void {
    this.#loads.set(cache, undefined)
  }

  /** The load reads the first state of its resource, unless that is there. */
  reads(load: ResourceLoad): void {
    if (this.#loads.has(load.cache)) this.#loads.set(load.cache, load)
  }

  /** Called when the store is reached. The resources known by then have been added. */
  begin(): void {
    this.#hasBegun = true
    this.#update()
  }

  /** The state is there, or the resource is no longer served. */
  remove(cache: ResourceCache): void {
    this.#loads.delete(cache)
    this.#update()
  }

  #update(): void {
    if (this.#hasBegun && this.#loads.size === 0) this.#isReady = true
  }

  /** Each resource with the objects that have been read. */
  list(): readonly LoadingResource[] {
    return [...this.#loads].map(([{ resource }, load]) => ({ name: resource.name, objects: load?.state.tree.size ?? 0 }))
  }
}
