import { compareText } from '../lib/compare-text.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { membersOf } from '../schema/members.ts'
import type { Schema, StructSchema } from '../schema/schema.ts'
import { toFloat16 } from './float16.ts'

/** The head of tag 55799, which every body of this media type begins with. */
export const SELF_DESCRIBED = Buffer.from([0xd9, 0xd9, 0xf7])

const UINT = 0x00
const NINT = 0x20
const BYTES = 0x40
const ARRAY = 0x80
const MAP = 0xa0
const BASE64_TAG = 0xd6
const FALSE = 0xf4
const TRUE = 0xf5
const NULL = 0xf6

/** Where the bytes of the item in hand are put: encoding never waits, so there is one at a time. */
let target = Buffer.allocUnsafeSlow(64 * 1024)
let at = 0

/**
 * A normalised object as apimachinery writes it, deterministically (RFC 8949 4.2.1): strings and keys are byte strings, keys in the order of their encoded bytes, so the
 * shorter first; bytes carry the tag of a later base64; numbers as short as they can be. Without `typed`, kind and apiVersion are left out, as in the items of a list.
 */
export function encodeCbor(schema: StructSchema, object: JsonObject, typed = true): Buffer {
  at = 0
  if (schema.freeForm) writeAny(object)
  else if (schema.preserveUnknown) writeOpen(schema, object)
  else writeStruct(schema, object, typed)
  return taken()
}

/** Any value of the JSON data model: whole numbers are integers. */
export function encodeCborValue(value: Json): Buffer {
  at = 0
  writeAny(value)
  return taken()
}

/** The head of an array of so many items. */
export function arrayHead(length: number): Buffer {
  at = 0
  writeHead(ARRAY, length)
  return taken()
}

/** A map from keys to items that are encoded already. */
export function cborMap(members: Readonly<Record<string, readonly Buffer[]>>): Buffer[] {
  const parts: Buffer[] = []
  const keys = Object.keys(members).sort(byKey)
  at = 0
  writeHead(MAP, keys.length)
  for (const key of keys) {
    writeString(key)
    parts.push(taken())
    for (const part of members[key] as readonly Buffer[]) parts.push(part)
    at = 0
  }
  return parts
}

function taken(): Buffer {
  return Buffer.from(target.subarray(0, at))
}

function room(bytes: number): void {
  if (target.length - at >= bytes) return
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * target.length, at + bytes))
  target.copy(larger, 0, 0, at)
  target = larger
}

function writeHead(major: number, argument: number): void {
  room(9)
  if (argument < 24) target[at++] = major | argument
  else if (argument < 0x100) {
    target[at++] = major | 24
    target[at++] = argument
  } else if (argument < 0x10000) {
    target[at++] = major | 25
    at = target.writeUInt16BE(argument, at)
  } else if (argument < 0x1_0000_0000) {
    target[at++] = major | 26
    at = target.writeUInt32BE(argument, at)
  } else {
    target[at++] = major | 27
    at = target.writeUInt32BE(Math.floor(argument / 2 ** 32), at)
    at = target.writeUInt32BE(argument >>> 0, at)
  }
}

function writeString(text: string): void {
  const { length } = text
  if (length < 24) {
    room(1 + 3 * length)
    const start = at++
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code >= 0x80) {
        at = start
        writeLong(text)
        return
      }
      target[at++] = code
    }
    target[start] = BYTES | length
    return
  }
  writeLong(text)
}

function writeLong(text: string): void {
  const bytes = Buffer.byteLength(text)
  writeHead(BYTES, bytes)
  room(bytes)
  at += target.write(text, at, bytes === text.length ? 'latin1' : 'utf8')
}

function writeInteger(value: number | bigint): void {
  if (typeof value === 'bigint') {
    room(9)
    target[at++] = value < 0n ? NINT | 27 : UINT | 27
    at = target.writeBigUInt64BE(value < 0n ? -1n - value : value, at)
  } else if (value >= 0) writeHead(UINT, value)
  else writeHead(NINT, -1 - value)
}

function writeFloat(value: number): void {
  room(9)
  const half = toFloat16(value)
  if (half !== undefined) {
    target[at++] = 0xf9
    at = target.writeUInt16BE(half, at)
  } else if (Math.fround(value) === value) {
    target[at++] = 0xfa
    at = target.writeFloatBE(value, at)
  } else {
    target[at++] = 0xfb
    at = target.writeDoubleBE(value, at)
  }
}

function writeByte(byte: number): void {
  room(1)
  target[at++] = byte
}

/** Shorter keys first, then by their bytes: what comparing their encodings gives. */
const byKey = (a: string, b: string): number => Buffer.byteLength(a) - Buffer.byteLength(b) || compareText(a, b)

const beyondAscii = /[^\0-\x7f]/
const byLengthAndText = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1)

/** In the order of `byKey`. Most keys come in the order of their texts: all that is left to do is to part them by their lengths. */
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
  for (let i = 1; i < keys.length; i++) if (compareText(keys[i - 1] as string, keys[i] as string) > 0) return false
  return true
}

function writeAny(value: Json | undefined): void {
  if (typeof value === 'string') writeString(value)
  else if (typeof value === 'number') writeNumber(value)
  else if (typeof value === 'bigint') writeInteger(value)
  else if (typeof value === 'boolean') writeByte(value ? TRUE : FALSE)
  else if (value === null || value === undefined) writeByte(NULL)
  else if (Array.isArray(value)) {
    writeHead(ARRAY, value.length)
    for (const item of value) writeAny(item)
  } else {
    const keys = presentKeys(value)
    writeHead(MAP, keys.length)
    for (const key of keys) {
      writeString(key)
      writeAny(value[key])
    }
  }
}

function writeNumber(value: number): void {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) writeInteger(value)
  else writeFloat(value)
}

const presentKeys = (value: JsonObject): string[] => sortKeys(Object.keys(value).filter(key => value[key] !== undefined))

interface Member {
  readonly name: string
  /** The place of its key among those of the struct. */
  readonly rank: number
  readonly key: Buffer
  readonly schema: Schema
}

const plans = new WeakMap<StructSchema, ReadonlyMap<string, Member>>()

function planOf(schema: StructSchema): ReadonlyMap<string, Member> {
  let plan = plans.get(schema)
  if (!plan) {
    const fields = [...membersOf(schema)].sort((a, b) => byKey(a.name, b.name))
    plan = new Map(fields.map((field, rank) => [field.name, { name: field.name, rank, key: keyOf(field.name), schema: field.schema }]))
    plans.set(schema, plan)
  }
  return plan
}

/** An encoded key. */
function keyOf(name: string): Buffer {
  const bytes = Buffer.from(name)
  return bytes.length < 24 ? Buffer.concat([Buffer.from([BYTES | bytes.length]), bytes]) : Buffer.concat([Buffer.from([BYTES | 24, bytes.length]), bytes])
}

function writeStruct(schema: StructSchema, object: JsonObject, typed: boolean): void {
  const plan = planOf(schema)
  const present: Member[] = []
  for (const name in object) {
    if (object[name] === undefined || (!typed && (name === 'kind' || name === 'apiVersion'))) continue
    const member = plan.get(name)
    if (member === undefined) continue
    let place = present.length
    while (place > 0 && (present[place - 1] as Member).rank > member.rank) {
      present[place] = present[place - 1] as Member
      place--
    }
    present[place] = member
  }
  writeHead(MAP, present.length)
  for (const { name, key, schema: inner } of present) {
    room(key.length)
    for (let i = 0; i < key.length; i++) target[at++] = key[i] as number
    writeBy(inner, object[name] as Json)
  }
}

/** A struct whose unknown members are kept. */
function writeOpen(schema: StructSchema, object: JsonObject): void {
  const keys = presentKeys(object)
  writeHead(MAP, keys.length)
  for (const key of keys) {
    writeString(key)
    const field = schema.fields.get(key)
    if (field) writeBy(field.schema, object[key] as Json)
    else writeAny(object[key])
  }
}

function writeBy(schema: Schema, value: Json): void {
  if (value === null) writeByte(NULL)
  else if (schema.type === 'list' && Array.isArray(value)) writeList(schema.items, value)
  else if (schema.type === 'union' && schema.form === 'list' && Array.isArray(value)) writeList(schema.struct, value)
  else if (typeof value === 'object' && !Array.isArray(value)) {
    if (schema.type === 'struct') {
      if (schema.preserveUnknown) writeOpen(schema, value)
      else writeStruct(schema, value, true)
    } else if (schema.type === 'map') writeMap(schema.values, value)
    else if (schema.type === 'union') writeStruct(schema.struct, value, true)
    else writeAny(value)
  } else if (schema.type === 'bytes') writeBase64(value as string)
  else if (schema.type === 'number' && typeof value === 'number') writeFloat(value)
  else writeAny(value)
}

function writeList(items: Schema, list: readonly Json[]): void {
  writeHead(ARRAY, list.length)
  for (const item of list) writeBy(items, item)
}

function writeMap(values: Schema, map: JsonObject): void {
  const keys = sortKeys(Object.keys(map))
  writeHead(MAP, keys.length)
  for (const key of keys) {
    writeString(key)
    writeBy(values, map[key] as Json)
  }
}

function writeBase64(text: string): void {
  const bytes = Buffer.from(text, 'base64')
  writeByte(BASE64_TAG)
  writeHead(BYTES, bytes.length)
  room(bytes.length)
  at += bytes.copy(target, at)
}
