import type { Json, JsonObject } from '../../../api/meta/object.ts'
import { unescapeProperty } from '../../../cel/schema/property-names.ts'
import { jsonValue } from '../../../cel/values/json.ts'
import { PlainList } from '../../../cel/values/list.ts'
import { equalMaps } from '../../../cel/values/map.ts'
import { CelDouble, CelList, CelMap, type Comparing, type Equality, type Value } from '../../../cel/values/value.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { User } from '../../../meta/context.ts'
import type { Claims } from './claims.ts'

/**
 * The `claims` variable. Before 1.34 whole numbers are ints. Since 1.34 all numbers are doubles, and names may be
 * escaped: `claims.a__dot__b`.
 */
export const claimsValue = (claims: Claims, release: Release): Value =>
  isSince(release, '1.34') ? escapedValue(claims) : jsonValue(claims)

/** The `user` variable. Includes empty members. */
export function userValue({ name, uid = '', groups, extra = {} }: User, release: Release): Value {
  const document: JsonObject = {
    username: name,
    uid,
    groups: [...groups],
    extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
  }
  return isSince(release, '1.34') ? escapedValue(document) : jsonValue(document)
}

/** Wraps a document as 1.34 and later do. Nothing is copied. */
function escapedValue(json: Json): Value {
  if (typeof json === 'number') return new CelDouble(json)
  if (typeof json !== 'object' || json === null) return json
  return Array.isArray(json) ? new EscapedList(json) : new EscapedMap(json)
}

/** A list whose items are wrapped when they are read. */
class EscapedList extends PlainList {
  readonly #items: readonly Json[]

  constructor(items: readonly Json[]) {
    super()
    this.#items = items
  }

  get size(): number {
    return this.#items.length
  }

  at(index: number): Value {
    return escapedValue(this.#items[index] ?? null)
  }
}

/** An object whose members are found by escaped names. */
class EscapedMap extends CelMap {
  readonly #members: JsonObject

  constructor(members: JsonObject) {
    super()
    this.#members = members
  }

  get size(): number {
    return Object.keys(this.#members).length
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined
    const name = unescapeProperty(key) ?? key
    return Object.hasOwn(this.#members, name) ? escapedValue(this.#members[name] ?? null) : undefined
  }

  *keys(): Generator<Value> {
    yield* Object.keys(this.#members)
  }

  equals(other: Value): Comparing<Equality> {
    return equalMaps(this, other)
  }
}

/**
 * Returns the strings of a value that is a string or a list of strings. Empty strings are dropped. Throws an Error with
 * upstream's message for other values.
 */
export function claimStrings(value: Value): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (value === null) return []
  if (!(value instanceof CelList)) throw new Error(NO_TEXTS)
  const texts: string[] = []
  for (let i = 0; i < value.size; i++) {
    const text = value.at(i)
    if (typeof text !== 'string') throw new Error(NO_TEXTS)
    if (text !== '') texts.push(text)
  }
  return texts
}

/** Message for a mapping that returns another type. */
const NO_TEXTS = 'expression must return a string or a list of strings'
