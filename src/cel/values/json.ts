import type { Json, JsonObject } from '../../api/meta/object.ts'
import { PlainList } from './list.ts'
import { equalMaps } from './map.ts'
import { CelDouble, CelMap, type Comparing, type Equality, type Value } from './value.ts'

/**
 * Wraps a document without a schema. Members are converted when they are read; nothing is copied. A whole number is an
 * int.
 */
export function jsonValue(json: Json): Value {
  if (typeof json === 'number') return Number.isInteger(json) ? (Number.isSafeInteger(json) ? json : BigInt(json)) : new CelDouble(json)
  if (typeof json !== 'object' || json === null) return json
  return Array.isArray(json) ? new JsonList(json) : new JsonMap(json)
}

/** Returns the part of the document behind a list or map, which is shared with it. Undefined for any other value. */
export const documentOf = (value: Value): Json | undefined =>
  value instanceof JsonList || value instanceof JsonMap ? value.document : undefined

/** A list of a document. Elements are converted when they are read. */
class JsonList extends PlainList {
  readonly #items: Json[]

  constructor(items: Json[]) {
    super()
    this.#items = items
  }

  get document(): Json {
    return this.#items
  }

  get size(): number {
    return this.#items.length
  }

  at(index: number): Value {
    return jsonValue(this.#items[index] ?? null)
  }
}

/** A map of a document. Members are converted when they are read. A null member is present. */
class JsonMap extends CelMap {
  readonly #members: JsonObject
  #size: number | undefined

  constructor(members: JsonObject) {
    super()
    this.#members = members
  }

  get document(): Json {
    return this.#members
  }

  get size(): number {
    this.#size ??= Object.keys(this.#members).length
    return this.#size
  }

  find(key: Value): Value | undefined {
    return typeof key === 'string' && Object.hasOwn(this.#members, key) ? jsonValue(this.#members[key] ?? null) : undefined
  }

  *keys(): Generator<Value> {
    yield* Object.keys(this.#members)
  }

  equals(other: Value): Comparing<Equality> {
    return equalMaps(this, other)
  }
}
