import type { Json, JsonObject } from '../../meta/object.ts'
import { PlainList } from './list.ts'
import { equalMaps } from './map.ts'
import { CelDouble, CelMap, type Value } from './value.ts'

/** What expressions see of a document of which no schema is known: read as it is asked for, never copied. A whole number is an int. */
export function jsonValue(json: Json): Value {
  if (typeof json === 'number') return Number.isInteger(json) ? (Number.isSafeInteger(json) ? json : BigInt(json)) : new CelDouble(json)
  if (typeof json !== 'object' || json === null) return json
  return Array.isArray(json) ? new JsonList(json) : new JsonMap(json)
}

/** What a document has at the place of a list or a map of it, which is shared; undefined for any other value. */
export const documentOf = (value: Value): Json | undefined => (value instanceof JsonList || value instanceof JsonMap ? value.document : undefined)

/** An element is converted when it is asked for. */
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

/** A member likewise; a null member is there, and null. */
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

  equals(other: Value): boolean {
    return equalMaps(this, other)
  }
}
