import { equalMaps, ValueMap } from './map.ts'
import { type CelError, CelObject, type Value } from './value.ts'

/** A struct that an expression has made: a message of protobuf, an apply configuration or a part of one, an operation of a JSON patch. */
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

  override isSet(name: string): boolean {
    return this.fields.has(name)
  }

  override get isZero(): boolean {
    return this.fields.size === 0
  }

  /** Whatever is of another type differs from it. */
  equals(other: Value): boolean | CelError {
    return other instanceof StructValue && other.typeName === this.typeName && equalMaps(new ValueMap(this.fields), new ValueMap(other.fields))
  }
}
