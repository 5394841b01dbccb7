import { equalMaps, ValueMap } from './map.ts'
import { type CelError, CelObject, noSuchOverload, type Value } from './value.ts'

/** A struct that an expression has made: an apply configuration or a part of one, a JSON patch. */
export class StructValue extends CelObject {
  readonly typeName: string
  /** Those that were given. */
  readonly fields: ReadonlyMap<string, Value>
  readonly #defaults: Readonly<Record<string, Value>>

  /** @param defaults what fields are where they are not given; others are missing then. */
  constructor(typeName: string, fields: ReadonlyMap<string, Value>, defaults: Readonly<Record<string, Value>> = {}) {
    super()
    this.typeName = typeName
    this.fields = fields
    this.#defaults = defaults
  }

  override field(name: string): Value | undefined {
    return this.fields.get(name) ?? (Object.hasOwn(this.#defaults, name) ? this.#defaults[name] : undefined)
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof StructValue) || other.typeName !== this.typeName) return noSuchOverload(other)
    return equalMaps(new ValueMap(this.fields), new ValueMap(other.fields))
  }
}
