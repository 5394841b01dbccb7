import type { Json, JsonObject } from '../../src/api/meta/object.ts'
import { MOST_VALUES } from '../../src/codec/value-bound.ts'
import type { Field, ListSchema, MapSchema, Schema, StructSchema } from '../../src/schema/schema.ts'

/** A member of a type that a client can make as large as a body may be. */
export interface LargePlace {
  /** Members from the root, `[]` for an item of a list, `{}` for a value of a map: `spec.containers.[].env`. */
  readonly path: readonly string[]
  /** The struct and the field: the same place in two kinds has the same. */
  readonly owner: string
  readonly schema: Schema
  readonly field: Field
  /** The schema of each member of the path. */
  readonly along: readonly Schema[]
}

/**
 * How a place is filled: with the smallest items, with one plausible item again and again, or with items that all
 * differ. Texts are long in ways that patterns take for names.
 */
export type Filling = 'empty' | 'repeated' | 'distinct' | 'letters' | 'dashes' | 'escapes'

const DEPTH = 14

/** Every list, map and text of a type, those of types that hold themselves once. */
export function largePlaces(schema: StructSchema): LargePlace[] {
  const places: LargePlace[] = []
  const inside = new Set<Schema>()
  const walkStruct = (struct: StructSchema, path: readonly string[], along: readonly Schema[]): void => {
    if (inside.has(struct) || path.length > DEPTH) return
    inside.add(struct)
    for (const [name, field] of struct.fields)
      walk(field.schema, [...path, name], [...along, field.schema], `${struct.name}.${name}`, field)
    inside.delete(struct)
  }
  const walk = (at: Schema, path: readonly string[], along: readonly Schema[], owner: string, field: Field): void => {
    if (at.type === 'struct') walkStruct(at, path, along)
    else if (at.type === 'union') walkStruct(at.struct, path, along)
    else if (at.type !== 'integer' && at.type !== 'number' && at.type !== 'boolean') places.push({ path, owner, schema: at, field, along })
    if (at.type === 'list') walk(at.items, [...path, '[]'], [...along, at.items], `${owner}[]`, field)
    if (at.type === 'map') walk(at.values, [...path, '{}'], [...along, at.values], `${owner}{}`, field)
  }
  walkStruct(schema, [], [])
  return places
}

export function fillingsOf({ schema }: LargePlace): readonly Filling[] {
  if (schema.type === 'list') return ['empty', 'repeated', 'distinct']
  if (schema.type === 'map') return ['repeated', 'distinct']
  if (schema.type === 'raw' || schema.type === 'json') return ['repeated', 'distinct']
  return ['letters', 'dashes', 'escapes']
}

/** JSON of `base` with the place filled up to so many bytes. Members on the way that the base lacks are made up. */
export function largeBody(base: JsonObject, place: LargePlace, filling: Filling, bytes: number): string {
  const { holder, mine } = holed(base, place)
  const [before, after] = JSON.stringify(holder).split(`"${HOLE}"`) as [string, string]
  return `${before}${contents(place, filling, bytes - before.length - after.length, mine)}${after}`
}

/** The value of the place alone. */
export function largeValue(base: JsonObject, place: LargePlace, filling: Filling, bytes: number): string {
  return contents(place, filling, bytes, holed(base, place).mine)
}

/**
 * JSON of `base` with a value, itself JSON, at the place. `copies` above 1: so often, as items of the list or values of
 * the map that is next above it; undefined if there is none.
 */
export function filledBody(base: JsonObject, place: LargePlace, value: string, copies = 1): string | undefined {
  const { holder } = holed(base, place, true)
  if (copies > 1 && !repeat(holder, place.path, copies)) return undefined
  return JSON.stringify(holder).replaceAll(`"${HOLE}"`, () => value)
}

/** JSON of `base` with one more key, itself JSON, in a map. */
export function bodyWithKey(base: JsonObject, place: LargePlace, key: string): string {
  const { holder, mine } = holed(base, place, true)
  const value = JSON.stringify(
    Object.values((mine ?? {}) as JsonObject)[0] ?? (place.schema.type === 'map' ? plausible(place.schema.values, '') : ''),
  )
  return JSON.stringify(holder).replace(`"${HOLE}"`, () => `{${key}:${value}}`)
}

function repeat(holder: JsonObject, path: readonly string[], copies: number): boolean {
  const last = Math.max(path.lastIndexOf('[]'), path.lastIndexOf('{}'))
  if (last < 0) return false
  let container: Json = holder
  for (const step of path.slice(0, last))
    container = (container as Record<string, Json>)[
      step === '[]' ? 0 : step === '{}' ? (Object.keys(container as JsonObject)[0] as string) : step
    ] as Json
  const into = container as Record<string, Json> | Json[]
  const item = Array.isArray(into) ? (into[0] as Json) : (Object.values(into)[0] as Json)
  for (let i = 1; i < copies; i++) {
    // Names that must differ do, unless the name is what is filled.
    const one = typeof item === 'object' && item !== null && 'name' in item && item.name !== HOLE ? { ...item, name: `n${i}` } : item
    if (Array.isArray(into)) into.push(one)
    else into[`k${i}`] = one
  }
  return true
}

const HOLE = 'the-place-to-fill'

/**
 * The base with a hole at the place, and what stands there in the base. `isPlausible`: structs that are made up have
 * the members that they require, so that more of their validation runs.
 */
function holed(base: JsonObject, { path, along }: LargePlace, isPlausible = false): { holder: JsonObject; mine: Json | undefined } {
  const holder = JSON.parse(JSON.stringify(base)) as JsonObject
  let at: JsonObject | Json[] = holder
  let mine: Json | undefined
  for (const [i, step] of path.entries()) {
    const key: string | number = step === '[]' ? 0 : step === '{}' ? (Object.keys(at)[0] ?? 'k') : step
    const container = at as Record<string | number, Json>
    const last = i === path.length - 1
    if (last) {
      mine = container[key]
      container[key] = HOLE
      break
    }
    const next = path[i + 1]
    const known = container[key]
    if (typeof known !== 'object' || known === null)
      container[key] = next === '[]' ? [] : isPlausible && along[i]?.type === 'struct' ? plausible(along[i], '') : {}
    at = container[key] as JsonObject | Json[]
    if (next === '[]' && (at as Json[]).length > 1) (at as Json[]).length = 1
  }
  return { holder, mine }
}

function contents({ schema, field }: LargePlace, filling: Filling, bytes: number, mine: Json | undefined): string {
  if (schema.type === 'list') return listOf(schema, field, filling, bytes, Array.isArray(mine) ? mine[0] : undefined)
  if (schema.type === 'map') return mapOf(schema, filling, bytes, mine as JsonObject | undefined)
  if (schema.type === 'raw' || schema.type === 'json')
    return `{${until(bytes, i => (filling === 'repeated' ? `"f:${i}":{}` : `"f:a${i}":{"f:b":{},"f:c":{}}`))}}`
  const unit = filling === 'letters' ? 'a' : filling === 'dashes' ? 'a-b.' : '\\u0001'
  return `"${unit.repeat(Math.floor(bytes / unit.length))}"`
}

/** Items up to so many bytes, or to as many values as a body may hold. */
function until(bytes: number, item: (i: number) => string): string {
  const parts: string[] = []
  for (let length = 0, values = 0, i = 0; ; i++) {
    const text = item(i)
    length += text.length + 1
    values += 1 + countOf(text)
    if (length > bytes || values > MOST_VALUES - MARGIN) return parts.join(',')
    parts.push(text)
  }
}

/** Values of the rest of the body. */
const MARGIN = 500
const countOf = (text: string): number => text.match(/[,{[]/g)?.length ?? 0

function listOf({ items }: ListSchema, field: Field, filling: Filling, bytes: number, mine: Json | undefined): string {
  if (filling === 'empty') {
    const text = JSON.stringify(smallest(items))
    return `[${until(bytes, () => text)}]`
  }
  const item = mine ?? plausible(items, '')
  if (filling === 'repeated') {
    const text = JSON.stringify(item)
    return `[${until(bytes, () => text)}]`
  }
  const key = field.patchMergeKey
  return `[${until(bytes, i => JSON.stringify(varied(items, item, i, key)))}]`
}

function mapOf({ values }: MapSchema, filling: Filling, bytes: number, mine: JsonObject | undefined): string {
  const value = JSON.stringify(Object.values(mine ?? {})[0] ?? plausible(values, ''))
  return `{${until(bytes, i => `"${filling === 'repeated' ? 'a' : `a${i}`}":${value}`)}}`
}

function smallest(schema: Schema): Json {
  switch (schema.type) {
    case 'struct':
    case 'union':
    case 'map':
    case 'raw':
    case 'json':
      return {}
    case 'list':
      return []
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return false
    case 'intOrString':
      return 0
    default:
      return plausible(schema, '')
  }
}

function plausible(schema: Schema, suffix: string): Json {
  switch (schema.type) {
    case 'struct': {
      const out: JsonObject = {}
      for (const [name, field] of schema.fields)
        if (field.required && !['struct', 'union'].includes(field.schema.type)) out[name] = plausible(field.schema, suffix)
      if (Object.keys(out).length > 0) return out
      for (const [name, { schema: inner }] of schema.fields) if (inner.type === 'string') return { [name]: plausible(inner, suffix) }
      return out
    }
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'bytes':
      return 'YQ=='
    case 'time':
      return '2026-01-02T03:04:05Z'
    case 'microTime':
      return '2026-01-02T03:04:05.000006Z'
    case 'duration':
      return '1s'
    case 'quantity':
      return '1'
    case 'intOrString':
      return 1
    case 'string':
      return schema.enum?.[0] ?? `a${suffix}`
    default:
      return smallest(schema)
  }
}

/** The item with what tells it from others made its own. */
function varied(schema: Schema, item: Json, i: number, key: string | undefined): Json {
  if (typeof item === 'string') return schema.type === 'string' && !schema.enum ? `${item}${i}` : item
  if (typeof item === 'number') return schema.type === 'integer' ? (i % 65535) + 1 : i
  if (typeof item !== 'object' || item === null || Array.isArray(item) || schema.type !== 'struct') return item
  const out = { ...item }
  const name = key ?? [...schema.fields].find(([member, field]) => field.schema.type === 'string' && (member in out || field.required))?.[0]
  if (name === undefined) return out
  const field = schema.fields.get(name)
  out[name] = varied(field?.schema ?? { type: 'string', goType: 'string' }, out[name] ?? 'a', i, undefined)
  return out
}
