import type { Coordinates } from './coordinates.ts'
import { coordinatesKey } from './coordinates.ts'

/** LRU cache of owners that do not exist. UIDs are never reused, so an entry stays valid. */
export class AbsentOwners {
  readonly #limit: number
  readonly #keys = new Set<string>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Adds an owner. Evicts the least recently used one at the limit. */
  add(owner: Coordinates): void {
    const key = coordinatesKey(owner)
    this.#keys.delete(key)
    this.#keys.add(key)
    if (this.#keys.size <= this.#limit) return
    const [oldest] = this.#keys
    if (oldest !== undefined) this.#keys.delete(oldest)
  }

  /** Whether the owner is cached. A hit becomes the most recently used entry: a Set keeps insertion order. */
  has(owner: Coordinates): boolean {
    const key = coordinatesKey(owner)
    if (!this.#keys.delete(key)) return false
    this.#keys.add(key)
    return true
  }
}
