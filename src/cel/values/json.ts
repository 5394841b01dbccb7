import type { Json, JsonObject } from '../../meta/object.ts'
import { typeEquals } from './compare.ts'
import { equalLists, JoinedList } from './list.ts'
import { equalMaps } from './map.ts'
import { CelDouble, CelList, CelMap, type Value } from './value.ts'

/** What expressions see of a document of which no schema is known: read as it is asked for, never copied. A whole number is an int. */
export function jsonValue(json: Json): Value {
  if (typeof json === 'number') return Number.isInteger(json) ? (Number.isSafeInteger(json) ? json : BigInt(json)) : new CelDouble(json)
  if (typeof json !== 'object' || json === null) return json
  return Array.isArray(json) ? new JsonList(json) : new JsonMap(json)
}

/** An element is converted when it is asked for. */
class JsonList extends CelList {
  readonly #items: readonly Json[]

  constructor(items: readonly Json[]) {
    super()
    this.#items = items
  }

  get size(): number {
    return this.#items.length
  }

  at(index: number): Value {
    return jsonValue(this.#items[index]!)
  }

  concat(other: CelList): Value {
    if (other.size === 0) return this
    return this.size === 0 ? other : new JoinedList(this, other)
  }

  equals(other: Value): boolean {
    return equalLists(this, other)
  }

  contains(value: Value): boolean {
    return this.#items.some(item => typeEquals(value, jsonValue(item)) === true)
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

  get size(): number {
    this.#size ??= Object.keys(this.#members).length
    return this.#size
  }

  find(key: Value): Value | undefined {
    return typeof key === 'string' && Object.hasOwn(this.#members, key) ? jsonValue(this.#members[key]!) : undefined
  }

  *keys(): Generator<Value> {
    yield* Object.keys(this.#members)
  }

  equals(other: Value): boolean {
    return equalMaps(this, other)
  }
}
