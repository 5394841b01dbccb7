import type { Key } from '../revision.ts'
import type { Stored } from '../stored-object.ts'

/** The keys of a resource's present objects by the value of the field that it is indexed by. Objects in which the field is empty are not in it. */
export class FieldIndex {
  readonly #keys = new Map<string, Set<Key>>()

  /** `previous`: what stood at the key before. */
  put(object: Stored, previous: Stored | undefined): void {
    const value = object.indexed
    if (previous !== undefined) {
      if (previous.indexed === value) return
      this.remove(previous)
    }
    if (value === '') return
    const keys = this.#keys.get(value)
    if (keys === undefined) this.#keys.set(value, new Set([object.key]))
    else keys.add(object.key)
  }

  remove({ key, indexed }: Stored): void {
    const keys = this.#keys.get(indexed)
    if (keys === undefined) return
    keys.delete(key)
    if (keys.size === 0) this.#keys.delete(indexed)
  }

  /** In order, those below the prefix. The value is not empty. */
  keys(value: string, prefix: Key): Key[] {
    const found: Key[] = []
    for (const key of this.#keys.get(value) ?? []) if (key.startsWith(prefix)) found.push(key)
    return found.sort((a, b) => (a < b ? -1 : 1))
  }
}
