import type { Json, JsonObject } from '../api/meta/object.ts'
import { compareText } from '../lib/compare-text.ts'
import { insertByRank } from '../lib/insert-by-rank.ts'
import { orderedFields } from '../schema/members.ts'
import type { FormName, Schema, StructSchema } from '../schema/schema.ts'
import { ARRAY, CborOutput, MAP } from './cbor-output.ts'

/** Head of tag 55799 (RFC 8949, section 3.4.6), with which every body of this media type begins. */
export const SELF_DESCRIBED = Buffer.from([0xd9, 0xd9, 0xf7])

/**
 * Encodes a normalised object as apimachinery does, deterministically (RFC 8949, section 4.2.1). Strings and keys are
 * byte strings, keys are sorted by their encoded bytes, so shorter ones come first; bytes carry tag 22 (later base64);
 * numbers have the shortest form. Without `typed`, kind and apiVersion are omitted, as in list items.
 */
export function encodeCbor(schema: StructSchema, object: JsonObject, typed = true): Buffer {
  const out = begin()
  WRITERS[schema.form.name](out, schema, object, typed)
  return takeOutput(out)
}

const WRITERS: Readonly<Record<FormName, (out: CborOutput, schema: StructSchema, object: JsonObject, typed: boolean) => void>> = {
  typed(out, schema, object, typed) {
    if (schema.preserveUnknown) writeOpen(out, schema, object)
    else writeStruct(out, schema, object, typed)
  },
  unstructured: (out, _schema, object) => writeAny(out, object),
}

/** Encodes any value of the JSON data model. Whole numbers become integers. */
export function encodeCborValue(value: Json): Buffer {
  const out = begin()
  writeAny(out, value)
  return takeOutput(out)
}

/** Encodes the head of an array; `length` items must follow. */
export function arrayHead(length: number): Buffer {
  const out = begin()
  out.head(ARRAY, length)
  return takeOutput(out)
}

/**
 * Encodes a map of encoded members, each in one or more parts. Returns the parts in the order in which they are sent,
 * without copying them.
 */
export function cborMap(members: Readonly<Record<string, readonly Buffer[]>>): Buffer[] {
  const entries = Object.entries(members).sort(([a], [b]) => byKey(a, b))
  const out = begin()
  out.head(MAP, entries.length)
  return [takeOutput(out), ...entries.flatMap(([key, parts]) => [encodedKey(key), ...parts])]
}

function encodedKey(key: string): Buffer {
  const out = begin()
  out.text(key)
  return takeOutput(out)
}

/**
 * Output buffer of the last encoding, for the next one: allocating it costs as much as encoding a small object. A
 * nested encoding finds it unset and allocates its own.
 */
let spare: CborOutput | undefined

/** Returns an empty output, the spare one if it is free. */
function begin(): CborOutput {
  const out = spare ?? new CborOutput()
  spare = undefined
  return out
}

/** Returns the encoded bytes, and keeps the output for the next encoding unless it has grown large. */
function takeOutput(out: CborOutput): Buffer {
  const bytes = out.take()
  if (out.isReusable) spare = out
  return bytes
}

/** Order of encoded keys: shorter keys first, then by bytes. */
const byKey = (a: string, b: string): number => Buffer.byteLength(a) - Buffer.byteLength(b) || compareText(a, b)

const BEYOND_ASCII = /[^\0-\x7f]/
const byLengthAndText = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1)

/**
 * Sorts keys in the order of `byKey`. Few keys are sorted in place, comparing lengths in characters if all are ASCII.
 * Many keys usually arrive sorted by text, so that only grouping them by length remains.
 */
export function sortKeys(keys: string[]): string[] {
  if (keys.length < 2) return keys
  if (keys.length < MANY_KEYS) return keys.some(key => BEYOND_ASCII.test(key)) ? keys.sort(byKey) : keys.sort(byLengthAndText)
  if (!isAscending(keys)) keys.sort(compareText)
  const byLength = new Map<number, string[]>()
  for (const key of keys) {
    const length = Buffer.byteLength(key)
    const same = byLength.get(length)
    if (same) same.push(key)
    else byLength.set(length, [key])
  }
  return [...byLength.keys()].sort((a, b) => a - b).flatMap(length => byLength.get(length) ?? [])
}

/** From this number on, grouping keys by length is faster than sorting them. */
const MANY_KEYS = 64

function isAscending(keys: readonly string[]): boolean {
  let before = ''
  for (const key of keys) {
    if (compareText(before, key) > 0) return false
    before = key
  }
  return true
}

/**
 * Writes a value without a schema, with sorted keys. An undefined item of a list is null; an undefined member is
 * omitted.
 */
function writeAny(out: CborOutput, value: Json | undefined): void {
  if (typeof value === 'string') out.text(value)
  else if (typeof value === 'number') out.number(value)
  else if (typeof value === 'bigint') out.integer(value)
  else if (typeof value === 'boolean') out.boolean(value)
  else if (value === null || value === undefined) out.nil()
  else if (Array.isArray(value)) {
    out.head(ARRAY, value.length)
    for (const item of value) writeAny(out, item)
  } else {
    const keys = presentKeys(value)
    out.head(MAP, keys.length)
    for (const key of keys) {
      out.text(key)
      writeAny(out, value[key])
    }
  }
}

/** Returns the sorted keys of the members that are not undefined. */
const presentKeys = (value: JsonObject): string[] => sortKeys(Object.keys(value).filter(key => value[key] !== undefined))

/** A field of a struct, prepared for encoding. */
export interface CborMember {
  readonly name: string
  /** Index of the key among the sorted keys of the struct. */
  readonly rank: number
  /** Encoded key. */
  readonly key: Buffer
  readonly schema: Schema
}

/** Members of each struct, computed when it is first encoded. */
const plans = new WeakMap<StructSchema, ReadonlyMap<string, CborMember>>()

function planOf(schema: StructSchema): ReadonlyMap<string, CborMember> {
  let plan = plans.get(schema)
  if (!plan) {
    const fields = [...orderedFields(schema)].sort((a, b) => byKey(a.name, b.name))
    plan = new Map(fields.map((field, rank) => [field.name, { name: field.name, rank, key: encodedKey(field.name), schema: field.schema }]))
    plans.set(schema, plan)
  }
  return plan
}

/** Encodes a struct. Members that are not fields are omitted. */
function writeStruct(out: CborOutput, schema: StructSchema, object: JsonObject, typed: boolean): void {
  const present = presentMembers(schema, object, typed)
  out.head(MAP, present.length)
  for (const { name, key, schema: inner } of present) {
    out.encoded(key)
    writeBy(out, inner, object[name])
  }
}

/**
 * Returns the members of a struct that are fields and not undefined, in the order of their keys. `typed`: with kind and
 * apiVersion.
 */
export function presentMembers(schema: StructSchema, object: JsonObject, typed: boolean): CborMember[] {
  const plan = planOf(schema)
  const present: CborMember[] = []
  for (const name in object) {
    if (object[name] === undefined || (!typed && (name === 'kind' || name === 'apiVersion'))) continue
    const member = plan.get(name)
    if (member !== undefined) insertByRank(present, member)
  }
  return present
}

/** Encodes a struct that preserves unknown members. */
function writeOpen(out: CborOutput, schema: StructSchema, object: JsonObject): void {
  const keys = presentKeys(object)
  out.head(MAP, keys.length)
  for (const key of keys) {
    out.text(key)
    const field = schema.fields.get(key)
    if (field) writeBy(out, field.schema, object[key])
    else writeAny(out, object[key])
  }
}

/** Writes a value by its schema. */
export function writeBy(out: CborOutput, schema: Schema, value: Json | undefined): void {
  if (value === null || value === undefined) out.nil()
  else if (schema.type === 'list' && Array.isArray(value)) writeList(out, schema.items, value)
  else if (schema.type === 'union' && schema.form === 'list' && Array.isArray(value)) writeList(out, schema.struct, value)
  else if (typeof value === 'object' && !Array.isArray(value)) writeMembers(out, schema, value)
  else if (schema.type === 'bytes' && typeof value === 'string') out.base64(value)
  else if (schema.type === 'number' && typeof value === 'number') out.float(value)
  else writeAny(out, value)
}

function writeMembers(out: CborOutput, schema: Schema, value: JsonObject): void {
  if (schema.type === 'struct') {
    if (schema.preserveUnknown) writeOpen(out, schema, value)
    else writeStruct(out, schema, value, true)
  } else if (schema.type === 'map') writeMap(out, schema.values, value)
  else if (schema.type === 'union') writeStruct(out, schema.struct, value, true)
  else writeAny(out, value)
}

function writeList(out: CborOutput, items: Schema, list: readonly Json[]): void {
  out.head(ARRAY, list.length)
  for (const item of list) writeBy(out, items, item)
}

function writeMap(out: CborOutput, values: Schema, map: JsonObject): void {
  const keys = sortKeys(Object.keys(map))
  out.head(MAP, keys.length)
  for (const key of keys) {
    out.text(key)
    writeBy(out, values, map[key])
  }
}
