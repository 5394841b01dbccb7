import type { Key, Revision } from '../revision.ts'
import type { StoredObject, Written } from '../storage.ts'

/** Objects that are kept, and how long they may be: what is written in the few milliseconds before the cache shows it. */
const MOST_OBJECTS = 64
const MOST_BYTES = 32 * 1024

/**
 * What this server has just written of a resource and its cache does not show yet. The next write of the same object begins with it: one that began with what the cache has would be decided twice, with a read of the store
 * between.
 */
export class LatestWrites {
  readonly #objects = new Map<Key, StoredObject>()

  /** `now`: up to which the cache shows what is stored. */
  of(key: Key, now: Revision): StoredObject | undefined {
    const object = this.#objects.size === 0 ? undefined : this.#objects.get(key)
    return object !== undefined && object.revision > now ? object : undefined
  }

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
