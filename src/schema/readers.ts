import type { Json, JsonObject } from '../api/meta/object.ts'
import { compareText } from '../lib/compare-text.ts'
import { type Steps, sortInSteps } from '../lib/steps.ts'
import { isWide, memberNames, namesOf, noteMembers } from '../lib/wide-objects.ts'
import { setMember } from '../meta/equal.ts'
import { type Decoding, type FieldReader, isLongRead, isReadLong, MISFIT, type ValueReader } from './decoding.ts'
import { fillSorted, isHigh, orderedFields, sortedJson, sortedKeys } from './members.ts'
import { scalarReader } from './scalar-readers.ts'
import type { Field, ListSchema, MapSchema, Schema, StructSchema, UnionSchema } from './schema.ts'
import { type MemberPlan, StructPlan } from './struct-plan.ts'

const structs = new WeakMap<StructSchema, ValueReader<JsonObject>>()

/**
 * Returns the reader of a struct. It is compiled when its first object is read, because types are recursive and most
 * are never used.
 */
export function structReader(schema: StructSchema): ValueReader<JsonObject> {
  const known = structs.get(schema)
  if (known) return known
  let plan: StructPlan | undefined
  const reader: ValueReader<JsonObject> = (value, run) => {
    plan ??= structPlan(schema)
    return plan.read(value, run)
  }
  structs.set(schema, reader)
  return reader
}

function structPlan(schema: StructSchema): StructPlan {
  const plans = orderedFields(schema).map(
    (field, rank): MemberPlan => ({ name: field.name, alias: field.alias, rank, empty: emptyOf(field), ...memberPlan(field) }),
  )
  return new StructPlan(plans, schema.preserveUnknown === true)
}

const EMPTY_LIST: Json = []
const EMPTY_MAP: Json = {}

/** Returns the empty value of an optional slice or map, which is accepted but not written. */
function emptyOf({ schema, omitEmpty, pointer }: Field): Json | undefined {
  if (!omitEmpty || pointer) return undefined
  if (schema.type === 'list') return EMPTY_LIST
  if (schema.type === 'map') return EMPTY_MAP
  return schema.type === 'bytes' ? '' : undefined
}

type ReadAndZero = Pick<MemberPlan, 'read' | 'zero'>

/** Returns how a field is read, and its value if it is absent, by Go's rules for pointers, `omitempty` and nil. */
function memberPlan({ schema, omitEmpty, omitZero, pointer }: Field): ReadAndZero {
  const read = reader(schema)
  if (pointer) {
    if (omitEmpty) return { read: (v, run) => (v === null ? undefined : read(v, run)), zero: undefined }
    return { read: (v, run) => (v === null ? null : read(v, run)), zero: () => null }
  }
  switch (schema.type) {
    case 'list':
      return listPlan(read, omitEmpty)
    case 'map':
      return mapPlan(read, omitEmpty)
    case 'bytes':
      return omitEmpty
        ? { read: (v, run) => (v === null ? undefined : read(v, run) || undefined), zero: undefined }
        : { read: (v, run) => (v === null ? null : read(v, run)), zero: () => null }
    case 'string':
      return omitEmpty ? { read: readText, zero: undefined } : { read, zero: () => '' }
    case 'integer':
    case 'number':
    case 'boolean':
      if (!omitEmpty) return { read, zero: schema.type === 'boolean' ? () => false : () => 0 }
      return { read: (v, run) => read(v, run) || undefined, zero: undefined }
    default:
      if (omitZero) return { read: (v, run) => read(v, run) ?? undefined, zero: undefined }
      return { read, zero: run => read(null, run) }
  }
}

/** Reads a string that is omitted if it is empty. */
const readText: FieldReader = value => {
  if (typeof value === 'string') return value === '' ? undefined : value
  if (value === null) return undefined
  throw MISFIT
}

/** Plans a list. An empty list becomes nil in storage, which encodes as protobuf. */
function listPlan(read: ValueReader, omitEmpty: boolean): ReadAndZero {
  /** Rejects an empty value of a wrong type. */
  const check: ValueReader<undefined> = (v, run) => {
    if (v !== null) read(v, run)
    return undefined
  }
  if (omitEmpty) return { read: (v, run) => (v === null || hasNoMembers(v) ? check(v, run) : read(v, run)), zero: undefined }
  return {
    read: (v, run) => (v === null || (hasNoMembers(v) && !run.keepsEmpty) ? (check(v, run) ?? null) : read(v, run)),
    zero: () => null,
  }
}

/** Whether a value has no members; true for an empty string as well. */
function hasNoMembers(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (typeof value !== 'object') return typeof value !== 'string' || value === ''
  for (const _ in value) return false
  return true
}

/** The reader of the map sets `emptyMapRead`, which spares a second look at a map of many keys. */
function mapPlan(read: ValueReader, omitEmpty: boolean): ReadAndZero {
  if (omitEmpty) {
    const readOrOmit: FieldReader = (v, run) => {
      if (v === null) return undefined
      const map = read(v, run)
      return run.emptyMapRead ? undefined : map
    }
    return { read: readOrOmit, zero: undefined }
  }
  const readOrNull: FieldReader = (v, run) => {
    if (v === null) return null
    const map = read(v, run)
    return run.emptyMapRead && !run.keepsEmpty ? null : map
  }
  return { read: readOrNull, zero: () => null }
}

function reader(schema: Schema): ValueReader {
  switch (schema.type) {
    case 'struct':
      return structReader(schema)
    case 'list':
      return listReader(schema)
    case 'map':
      return mapReader(schema)
    case 'union':
      return unionReader(schema)
    case 'json':
      return readJson
    default:
      return scalarReader(schema)
  }
}

/** Only nested values can be large enough to be read in steps. */
const readJson: ValueReader = (value, { later }) => {
  if (later === undefined || typeof value !== 'object' || value === null) return sortedJson(value)
  const out = Array.isArray(value) ? [] : {}
  later.push(restOfJson(value, out))
  return out
}

function* restOfJson(value: Json[] | JsonObject, out: Json[] | JsonObject): Steps<undefined> {
  yield* fillSorted(value, out)
  return undefined
}

/**
 * Reads a union. Go decodes such a type with a method of its own, which drops unknown members without reporting them.
 */
function unionReader({ form, struct }: UnionSchema): ValueReader {
  const readStruct = structReader(struct)
  const quietly: ValueReader<JsonObject> = (value, run) => {
    const seen = run.unknownSeen
    const out = readStruct(value, run)
    run.unknownSeen = seen
    return out
  }
  const text = scalarReader({ type: 'string', goType: 'string' })
  return (value, run) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return quietly(value, run)
    if (form === 'boolean') {
      if (typeof value === 'boolean') return value
      throw MISFIT
    }
    if (!Array.isArray(value) || value.length === 0) return null
    const item = form === 'list' ? quietly : text
    return value.map(each => item(each, run))
  }
}

/**
 * Returns the list before all items are read if reading takes long: the rest is added to `run.later`, which the caller
 * must run before it uses the result.
 */
function listReader(schema: ListSchema): ValueReader {
  const item = reader(schema.items)
  const nullable = schema.pointerItems === true
  return (value, run) => {
    if (value === null) return null
    if (!Array.isArray(value)) throw MISFIT
    const out: Json[] = []
    const read: ValueReader = nullable ? (element, inner) => (element === null ? null : item(element, inner)) : item
    for (const element of value) {
      out.push(read(element, run))
      if (isReadLong(run) && run.later) {
        run.later.push(restOfList(value, out, read, run))
        return out
      }
    }
    return out
  }
}

function* restOfList(value: readonly Json[], out: Json[], read: ValueReader, run: Decoding): Steps<undefined> {
  for (let i = out.length; i < value.length; i++) {
    out.push(read(value[i] ?? null, run))
    if (!isReadLong(run)) continue
    yield
    run.read = 0
  }
  return undefined
}

/** Reads a map in one pass if its keys are in byte order, and sorts it otherwise. */
function mapReader(schema: MapSchema): ValueReader {
  const read = reader(schema.values)
  return (value, run) => {
    if (value === null) return null
    if (typeof value !== 'object' || Array.isArray(value)) throw MISFIT
    const out: JsonObject = {}
    if (run.later && isWide(value)) {
      run.emptyMapRead = false
      run.later.push(restOfMap(value, out, read, run))
      return out
    }
    let before = ''
    let any = false
    const keys = namesOf(value)
    for (const key of keys) {
      if (key < before || key === '__proto__' || isHigh(key)) {
        run.emptyMapRead = false
        if (run.later && isLongRead(keys.length)) {
          run.later.push(restOfMap(value, out, read, run))
          return out
        }
        return sortedMap(value, out, member => read(member, run))
      }
      before = key
      out[key] = read(value[key] ?? null, run)
      any = true
      if (isReadLong(run) && run.later) {
        run.later.push(restOfMap(value, out, read, run))
        break
      }
    }
    run.emptyMapRead = !any
    return out
  }
}

/** Reads the rest of a map. `out` already has the first members. */
function* restOfMap(value: JsonObject, out: JsonObject, read: ValueReader, run: Decoding): Steps<undefined> {
  const names = yield* memberNames(value)
  noteMembers(out, names.length)
  const keys = yield* sortInSteps(names, compareText)
  const done = { ...out }
  let isInOrder = true
  let next = 0
  for (const key in done) if (keys[next++] !== key) isInOrder = false
  if (!isInOrder) for (const key in done) delete out[key]
  for (const key of isInOrder ? keys.slice(next) : keys) {
    setMember(out, key, Object.hasOwn(done, key) ? done[key] : read(value[key] ?? null, run))
    if (!isReadLong(run)) continue
    yield
    run.read = 0
  }
  return undefined
}

/** Copies a map in byte order of its keys. `done`: members that have been read already. */
function sortedMap(value: JsonObject, done: JsonObject, read: (member: Json) => Json): JsonObject {
  const out: JsonObject = {}
  for (const key of sortedKeys(value)) setMember(out, key, Object.hasOwn(done, key) ? done[key] : read(value[key] ?? null))
  return out
}
