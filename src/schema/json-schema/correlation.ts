import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { isJsonObject, type Json } from '../../api/meta/object.ts'
import { quote } from '../../lib/go-quote.ts'
import { ownMember } from '../../meta/equal.ts'
import { sameJson } from '../../meta/same-json.ts'
import { additionalSchema, itemsSchema, propertySchema } from './props.ts'

/** Key of an item of a list of type map. Undefined if a key is missing or not a scalar. */
function itemKey(item: Json | undefined, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined
  const parts: string[] = []
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined
    if (value === undefined || value === null || typeof value === 'object') return undefined
    parts.push(typeof value === 'string' ? quote(value) : String(value))
  }
  return parts.join('\0')
}

/** Returns a function that finds the item with the same keys in a list of type map, and nothing in other lists. */
export function itemFinder(schema: JsonSchemaProps, items: readonly Json[] | undefined): (item: Json) => Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const isMap = schema.type === 'array' && schema['x-kubernetes-list-type'] === 'map'
  if (!isMap || keys.length === 0 || items === undefined || items.length === 0) return () => undefined
  let byKey: Map<string, Json> | undefined
  const index = (): Map<string, Json> => {
    const map = new Map<string, Json>()
    for (const item of items) {
      const key = itemKey(item, keys)
      if (key !== undefined && !map.has(key)) map.set(key, item)
    }
    return map
  }
  return item => {
    byKey ??= index()
    const key = itemKey(item, keys)
    return key === undefined ? undefined : byKey.get(key)
  }
}

/**
 * A value and its predecessor before an update. Parts that are unchanged need not satisfy rules that were added later.
 * Parts are correlated by the schema: members by name, items of lists of type map by their keys; other lists only as a
 * whole. Source: kubernetes/apiserver, pkg/cel/common/equality.go.
 */
export class Correlation {
  readonly #value: Json
  readonly #old: Json
  readonly #schema: JsonSchemaProps
  #findItem: ((item: Json) => Json | undefined) | undefined
  #unchanged: boolean | undefined
  readonly #parts = new Map<string | number, Correlation | undefined>()

  constructor(value: Json, old: Json, schema: JsonSchemaProps) {
    this.#value = value
    this.#old = old
    this.#schema = schema
  }

  /**
   * Returns the correlation of a member. Undefined if either value does not have it, or the schema does not name it.
   */
  key(name: string): Correlation | undefined {
    return this.#part(name, () => {
      const [value, old] = [this.#value, this.#old]
      const member = isJsonObject(value) ? ownMember(value, name) : undefined
      const before = isJsonObject(old) ? ownMember(old, name) : undefined
      if (member === undefined || before === undefined) return undefined
      const schema = propertySchema(this.#schema, name) ?? additionalSchema(this.#schema)
      return schema && new Correlation(member, before, schema)
    })
  }

  /** Returns the correlation of an item of the new list. Undefined if its predecessor is not known. */
  index(at: number): Correlation | undefined {
    return this.#part(at, () => {
      const items = itemsSchema(this.#schema)
      const item = Array.isArray(this.#value) ? this.#value[at] : undefined
      if (!items || item === undefined || !Array.isArray(this.#old)) return undefined
      this.#findItem ??= itemFinder(this.#schema, this.#old)
      const old = this.#findItem(item)
      return old === undefined || old === null ? undefined : new Correlation(item, old, items)
    })
  }

  #part(at: string | number, make: () => Correlation | undefined): Correlation | undefined {
    if (!this.#parts.has(at)) this.#parts.set(at, make())
    return this.#parts.get(at)
  }

  /**
   * Whether the value is equal to its predecessor. An object with members that the schema does not name counts as
   * changed.
   */
  get unchanged(): boolean {
    this.#unchanged ??= this.#compare()
    return this.#unchanged
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old]
    if (Array.isArray(value) && Array.isArray(old)) return value.length === old.length && this.#sameItems(value, old)
    if (!isJsonObject(value) || !isJsonObject(old)) return sameJson(value, old)
    const names = Object.keys(value)
    return names.length === Object.keys(old).length && names.every(name => this.key(name)?.unchanged === true)
  }

  #sameItems(value: readonly Json[], old: readonly Json[]): boolean {
    if (this.#schema['x-kubernetes-list-type'] !== 'map') return sameJson([...value], [...old])
    return value.every((_, i) => this.index(i)?.unchanged === true)
  }
}
