import type { Key } from '../revision.ts'
import type { Stored } from '../stored-object.ts'

/** Present objects of a resource by one of their values. Objects without the value are not in it. */
export class ValueIndex {
  readonly #valueOf: (object: Stored) => string | undefined
  readonly #objects = new Map<string, Set<Stored>>()

  constructor(valueIn: (object: Stored) => string | undefined) {
    this.#valueOf = valueIn
  }

  /** Adds an object. `previous` is the one that it replaces at its key. */
  put(object: Stored, previous: Stored | undefined): void {
    if (previous !== undefined) this.remove(previous)
    const value = this.#valueOf(object)
    if (value === undefined) return
    const objects = this.#objects.get(value)
    if (objects === undefined) this.#objects.set(value, new Set([object]))
    else objects.add(object)
  }

  remove(object: Stored): void {
    const value = this.#valueOf(object)
    const objects = value === undefined ? undefined : this.#objects.get(value)
    if (value === undefined || !objects?.delete(object)) return
    if (objects.size === 0) this.#objects.delete(value)
  }

  count(value: string): number {
    return this.#objects.get(value)?.size ?? 0
  }

  /** Returns the objects with a prefix and one of the values, in key order. The values must be distinct. */
  below(values: readonly string[], prefix: Key): Stored[] {
    const found: Stored[] = []
    for (const value of values) for (const object of this.#objects.get(value) ?? []) if (object.key.startsWith(prefix)) found.push(object)
    return found.sort((a, b) => (a.key < b.key ? -1 : 1))
  }
}

/** Creates an index by the field that the resource is indexed by. */
export const fieldIndex = (): ValueIndex => new ValueIndex(({ indexed }) => indexed || undefined)
