import { equalMaps, ValueMap } from './map.ts'
import { CelObject, type Comparing, type Equality, type Value } from './value.ts'

/**
 * A struct that an expression constructed: a protobuf message, an apply configuration or part of one, or a JSON patch
 * operation.
 */
export class StructValue extends CelObject {
  readonly typeName: string
  /** Fields that were set. */
  readonly fields: ReadonlyMap<string, Value>
  readonly #defaults: Readonly<Record<string, Value>>

  /** @param defaults values of unset fields. Unset fields without a default are missing. */
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

  /** Compares structs of the same type by their set fields. */
  equals(other: Value): Equality | Comparing<Equality> {
    return (
      other instanceof StructValue && other.typeName === this.typeName && equalMaps(new ValueMap(this.fields), new ValueMap(other.fields))
    )
  }
}
