import type { Key, Revision } from '../revision.ts'
import type { StoredObject, Written } from '../storage.ts'

/**
 * Limits on the number and size of the cached objects. They are needed only for the few milliseconds until the cache
 * has them.
 */
const MOST_OBJECTS = 64
const MOST_BYTES = 32 * 1024

/**
 * Objects that this server has just written and that its cache does not have yet. The next write of the same object
 * starts from them. Starting from the cache's stale state would fail its precondition, read the store and decide again.
 */
export class LatestWrites {
  readonly #objects = new Map<Key, StoredObject>()

  /** Returns an object that was written after revision `now`, which the cache has reached. */
  of(key: Key, now: Revision): StoredObject | undefined {
    const object = this.#objects.size === 0 ? undefined : this.#objects.get(key)
    return object !== undefined && object.revision > now ? object : undefined
  }

  /**
   * `now`: revision that the cache has reached. Forgets objects that it has reached; a deletion or a write without a
   * change leaves nothing to remember.
   */
  note(key: Key, { object, outcome }: Pick<Written<unknown>, 'object' | 'outcome'>, now: Revision): void {
    this.#objects.delete(key)
    for (const [seen, { revision }] of this.#objects) {
      if (revision > now) break
      this.#objects.delete(seen)
    }
    if (outcome === 'unchanged' || outcome === 'deleted' || object.revision <= now) return
    if (this.#objects.size < MOST_OBJECTS && object.json().bytes.length <= MOST_BYTES) this.#objects.set(key, object)
  }
}
