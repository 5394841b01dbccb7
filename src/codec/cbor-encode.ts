import { compareText } from '../lib/compare-text.ts'
import { insertByRank } from '../lib/insert-by-rank.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { membersOf } from '../schema/members.ts'
import type { FormName, Schema, StructSchema } from '../schema/schema.ts'
import { ARRAY, CborOutput, MAP } from './cbor-output.ts'

/** The head of tag 55799 (RFC 8949, section 3.4.6), which every body of this media type begins with. */
export const SELF_DESCRIBED = Buffer.from([0xd9, 0xd9, 0xf7])

/**
 * A normalised object as apimachinery writes it, deterministically (RFC 8949 4.2.1): strings and keys are byte strings, keys in the order of their encoded bytes, so the
 * shorter first; bytes carry the tag of a later base64; numbers as short as they can be. Without `typed`, kind and apiVersion are left out, as in the items of a list.
 */
export function encodeCbor(schema: StructSchema, object: JsonObject, typed = true): Buffer {
  const out = begin()
  WRITERS[schema.form.name](out, schema, object, typed)
  return finish(out)
}

const WRITERS: Readonly<Record<FormName, (out: CborOutput, schema: StructSchema, object: JsonObject, typed: boolean) => void>> = {
  typed(out, schema, object, typed) {
    if (schema.preserveUnknown) writeOpen(out, schema, object)
    else writeStruct(out, schema, object, typed)
  },
  unstructured: (out, _schema, object) => writeAny(out, object),
}

/** Any value of the JSON data model: whole numbers are integers. */
export function encodeCborValue(value: Json): Buffer {
  const out = begin()
  writeAny(out, value)
  return finish(out)
}

/** The head of an array of that many items, which are to follow. */
export function arrayHead(length: number): Buffer {
  const out = begin()
  out.head(ARRAY, length)
  return finish(out)
}

/** A map of members that are encoded already, each in one or more parts. Returns the parts in the order in which they are sent; those of the members are not copied. */
export function cborMap(members: Readonly<Record<string, readonly Buffer[]>>): Buffer[] {
  const entries = Object.entries(members).sort(([a], [b]) => byKey(a, b))
  const out = begin()
  out.head(MAP, entries.length)
  return [finish(out), ...entries.flatMap(([key, parts]) => [encodedKey(key), ...parts])]
}

function encodedKey(key: string): Buffer {
  const out = begin()
  out.text(key)
  return finish(out)
}

/** Memory of the last encoding for the next one: making it costs as much as encoding a small object. An encoding within another one finds none and makes its own. */
let spare: CborOutput | undefined

function begin(): CborOutput {
  const out = spare ?? new CborOutput()
  spare = undefined
  return out
}

function finish(out: CborOutput): Buffer {
  const bytes = out.take()
  if (out.isReusable) spare = out
  return bytes
}

/** Shorter keys first, then by their bytes: the order of their encodings. */
const byKey = (a: string, b: string): number => Buffer.byteLength(a) - Buffer.byteLength(b) || compareText(a, b)

const beyondAscii = /[^\0-\x7f]/
const byLengthAndText = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1)

/** Sorts in the order of `byKey`, in place where there are few: keys of ASCII alone are as long as their bytes. Most keys come in the order of their texts: all that is left to do is to part them by their lengths. */
function sortKeys(keys: string[]): string[] {
  if (keys.length < 2) return keys
  if (keys.length < MANY_KEYS) return keys.some(key => beyondAscii.test(key)) ? keys.sort(byKey) : keys.sort(byLengthAndText)
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

/** From here on parting is quicker than comparing. */
const MANY_KEYS = 64

function isAscending(keys: readonly string[]): boolean {
  let before = ''
  for (const key of keys) {
    if (compareText(before, key) > 0) return false
    before = key
  }
  return true
}

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

const presentKeys = (value: JsonObject): string[] => sortKeys(Object.keys(value).filter(key => value[key] !== undefined))

/** A field as it is encoded. */
interface Member {
  readonly name: string
  /** The place of its key among those of the struct. */
  readonly rank: number
  /** The encoded key. */
  readonly key: Buffer
  readonly schema: Schema
}

/** By struct, made when one is first encoded. */
const plans = new WeakMap<StructSchema, ReadonlyMap<string, Member>>()

function planOf(schema: StructSchema): ReadonlyMap<string, Member> {
  let plan = plans.get(schema)
  if (!plan) {
    const fields = [...membersOf(schema)].sort((a, b) => byKey(a.name, b.name))
    plan = new Map(fields.map((field, rank) => [field.name, { name: field.name, rank, key: encodedKey(field.name), schema: field.schema }]))
    plans.set(schema, plan)
  }
  return plan
}

/** A struct: members that no field names are left out. */
function writeStruct(out: CborOutput, schema: StructSchema, object: JsonObject, typed: boolean): void {
  const plan = planOf(schema)
  const present: Member[] = []
  for (const name in object) {
    if (object[name] === undefined || (!typed && (name === 'kind' || name === 'apiVersion'))) continue
    const member = plan.get(name)
    if (member !== undefined) insertByRank(present, member)
  }
  out.head(MAP, present.length)
  for (const { name, key, schema: inner } of present) {
    out.encoded(key)
    writeBy(out, inner, object[name])
  }
}

/** A struct whose unknown members are kept. */
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

function writeBy(out: CborOutput, schema: Schema, value: Json | undefined): void {
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
