import { ValueMap } from './map.ts'
import type { Value } from './value.ts'

/**
 * A map that returns a default value for missing keys. Membership (`in`), size and iteration cover its entries only.
 */
export class DefaultedMap extends ValueMap {
  readonly #default: Value

  constructor(entries: Iterable<readonly [Value, Value]>, defaultValue: Value) {
    super(entries)
    this.#default = defaultValue
  }

  override find(key: Value): Value {
    return super.find(key) ?? this.#default
  }

  /** Reports whether a key has an entry. */
  holds(key: Value): boolean {
    return super.find(key) !== undefined
  }
}
