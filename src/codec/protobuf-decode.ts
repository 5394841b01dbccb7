import { isUtf8 } from 'node:buffer'
import protobuf from 'protobufjs/minimal.js'
import { formatDuration } from '../lib/duration.ts'
import { setMember } from '../meta/equal.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { StatusError } from '../meta/status.ts'
import type { ScalarSchema, Schema, StructSchema, UnionSchema } from '../schema/schema.ts'
import { parseJson } from './json.ts'
import type { PlanEntry } from './protobuf-plan.ts'
import { planOf, WIRE_BYTES, WIRE_FIXED32, WIRE_FIXED64, WIRE_VARINT, zeros } from './protobuf-plan.ts'
import { decodeUtf8 } from './utf8.ts'
import { boundJsonValues, tooManyValues } from './value-bound.ts'

type Reader = protobuf.Reader

/** Bytes that are no message of the type. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
}

/** Schemas of custom resources hold schemas; nothing else nests deeply. The stack bounds it. */
const MAX_DEPTH = 1000

/** The members on the way to what is being read: one message at a time, and nothing here waits. */
let path: (string | number)[] = []
/** Messages that the one that is being read stands in. */
let depth = 0
/** Values that may still be read. */
let left = Number.POSITIVE_INFINITY

/**
 * Reads a message as a value of the JSON data model, not yet normalised: decode it with its schema. Unknown fields are dropped. Throws ProtobufError: upstream's text, and behind it
 * the path, where there is one; 413 where it holds more values than these.
 */
export function decodeMessage(schema: StructSchema, bytes: Uint8Array, mostValues = Number.POSITIVE_INFINITY): JsonObject {
  path = []
  depth = 0
  left = mostValues
  try {
    const out: JsonObject = {}
    readMessage(protobuf.Reader.create(asBuffer(bytes)), bytes.length, schema, out)
    return out
  } catch (error) {
    if (error instanceof StatusError) throw error
    const text = error instanceof ProtobufError ? error.message : 'unexpected EOF'
    throw new ProtobufError(path.length === 0 ? text : `${text} (${where()})`, { cause: error })
  } finally {
    path = []
  }
}

function where(): string {
  let out = ''
  for (const step of path) out += typeof step === 'number' ? `[${step}]` : out === '' ? step : `.${step}`
  return out.length > 200 ? `${out.slice(0, 200)}…` : out
}

const asBuffer = (bytes: Uint8Array): Buffer => (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))

const byNumber = new WeakMap<StructSchema, ReadonlyMap<number, PlanEntry>>()

function entriesOf(schema: StructSchema): ReadonlyMap<number, PlanEntry> {
  let entries = byNumber.get(schema)
  if (!entries) {
    entries = new Map(planOf(schema).map(entry => [entry.number, entry]))
    byNumber.set(schema, entries)
  }
  return entries
}

function readMessage(reader: Reader, end: number, schema: StructSchema, out: JsonObject): void {
  if (depth++ > MAX_DEPTH) throw new ProtobufError('proto: message is nested too deeply')
  const entries = entriesOf(schema)
  while (reader.pos < end) {
    const tag = reader.uint32()
    const wire = tag & 7
    const number = tag >>> 3
    if (number === 0) throw new ProtobufError(`proto: ${schema.name}: illegal tag 0 (wire type ${wire})`)
    const entry = entries.get(number)
    if (entry === undefined) reader.skipType(wire)
    else if ('inline' in entry) {
      expectWire(wire, WIRE_BYTES, schema.name)
      readMessage(reader, reader.uint32() + reader.pos, entry.inline, out)
    } else readField(reader, wire, entry.field.name, entry.schema, out)
  }
  if (reader.pos > end) throw new ProtobufError('unexpected EOF')
  depth--
}

function expectWire(wire: number, wanted: number, what: string): void {
  if (wire !== wanted) throw new ProtobufError(`proto: wrong wireType = ${wire} for field ${what}`)
}

function readField(reader: Reader, wire: number, name: string, schema: Schema, out: JsonObject): void {
  if (--left < 0) throw tooManyValues()
  path.push(name)
  if (schema.type === 'list') {
    out[name] ??= []
    const list = out[name] as Json[]
    path.push(list.length)
    list.push(readValue(reader, wire, name, schema.items, undefined))
    path.pop()
  } else if (schema.type === 'map') {
    expectWire(wire, WIRE_BYTES, name)
    out[name] ??= {}
    readMapEntry(reader, schema.values, out[name] as JsonObject)
  } else out[name] = readValue(reader, wire, name, schema, out[name])
  path.pop()
}

function readMapEntry(reader: Reader, values: Schema, map: JsonObject): void {
  const end = reader.uint32() + reader.pos
  let key = ''
  let value: Json | undefined
  while (reader.pos < end) {
    const tag = reader.uint32()
    const wire = tag & 7
    if (tag >>> 3 === 1) key = text(reader)
    else if (tag >>> 3 === 2) {
      if (values.type === 'list') {
        const holder: JsonObject = {}
        const inner = reader.uint32() + reader.pos
        while (reader.pos < inner) readField(reader, reader.uint32() & 7, 'items', values, holder)
        value = holder.items ?? []
      } else {
        path.push(key)
        value = readValue(reader, wire, key, values, undefined)
        path.pop()
      }
    } else reader.skipType(wire)
  }
  setMember(map, key, value === undefined ? zeroOf(values) : value)
}

/** Of a map's entry that has none. */
const zeroOf = (schema: Schema): Json =>
  schema.type === 'list'
    ? []
    : schema.type === 'bytes'
      ? ''
      : schema.type === 'union'
        ? schema.form === 'boolean'
          ? false
          : null
        : (zeros[schema.type] ?? null)

/** Upstream keeps broken UTF-8 as it is; a string of this program could not. */
function text(reader: Reader): string {
  const start = reader.pos
  const string = reader.string()
  if (string.includes('\ufffd')) {
    const end = reader.pos
    reader.pos = start
    if (!isUtf8(reader.bytes())) throw new ProtobufError('proto: invalid UTF-8 string')
    reader.pos = end
  }
  return string
}

function readValue(reader: Reader, wire: number, name: string, schema: Schema, before: Json | undefined): Json {
  switch (schema.type) {
    case 'struct': {
      expectWire(wire, WIRE_BYTES, name)
      const out = (before ?? {}) as JsonObject
      readMessage(reader, reader.uint32() + reader.pos, schema, out)
      return out
    }
    case 'string':
      expectWire(wire, WIRE_BYTES, name)
      return text(reader)
    case 'bytes':
      expectWire(wire, WIRE_BYTES, name)
      return base64(reader.bytes())
    case 'integer':
      expectWire(wire, WIRE_VARINT, name)
      return schema.goType === 'int32' ? reader.int32() : integer(reader)
    case 'boolean':
      expectWire(wire, WIRE_VARINT, name)
      return reader.bool()
    case 'number':
      expectWire(wire, schema.goType === 'float32' ? WIRE_FIXED32 : WIRE_FIXED64, name)
      return schema.goType === 'float32' ? reader.float() : reader.double()
    case 'union':
      expectWire(wire, WIRE_BYTES, name)
      return readUnion(reader, reader.uint32() + reader.pos, schema)
    case 'list':
    case 'map':
      throw new ProtobufError(`proto: ${name}: a list of lists has no message`)
    default: {
      expectWire(wire, WIRE_BYTES, name)
      return readSpecial(reader, reader.uint32() + reader.pos, schema)
    }
  }
}

function readUnion(reader: Reader, end: number, { name, form, struct }: UnionSchema): Json {
  if (depth++ > MAX_DEPTH) throw new ProtobufError('proto: message is nested too deeply')
  let allows = false
  let inner: JsonObject | undefined
  const items: Json[] = []
  const structNumber = form === 'boolean' ? 2 : 1
  while (reader.pos < end) {
    const tag = reader.uint32()
    const wire = tag & 7
    const number = tag >>> 3
    if (number === structNumber) inner = readValue(reader, wire, name, struct, inner) as JsonObject
    else if (number === 1) {
      expectWire(wire, WIRE_VARINT, name)
      allows = reader.bool()
    } else if (number === 2) {
      expectWire(wire, WIRE_BYTES, name)
      items.push(form === 'list' ? readValue(reader, wire, name, struct, undefined) : text(reader))
    } else reader.skipType(wire)
  }
  if (reader.pos > end) throw new ProtobufError('unexpected EOF')
  depth--
  if (form === 'boolean') return inner ?? allows
  return items.length > 0 ? items : (inner ?? null)
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

/** A varint of 64 bits, signed; a bigint where a number would round. */
function integer(reader: Reader): number | bigint {
  const value = reader.int64() as unknown as number | { low: number; high: number; unsigned: boolean }
  if (typeof value === 'number') return value
  const exact = (BigInt(value.high) << 32n) | BigInt(value.low >>> 0)
  const near = Number(exact)
  return Number.isSafeInteger(near) ? near : exact
}

/** The messages behind special JSON forms: members by number. */
function readSpecial(reader: Reader, end: number, schema: ScalarSchema): Json {
  let first: number | bigint = 0
  let second: number | bigint = 0
  let bytes: Uint8Array | undefined
  let third = ''
  const empty = reader.pos >= end
  while (reader.pos < end) {
    const tag = reader.uint32()
    const number = tag >>> 3
    if (number === 1 && (tag & 7) === WIRE_BYTES) bytes = reader.bytes()
    else if (number === 1) first = integer(reader)
    else if (number === 2 && (tag & 7) === WIRE_VARINT) second = integer(reader)
    else if (number === 3 && (tag & 7) === WIRE_BYTES) third = text(reader)
    else reader.skipType(tag & 7)
  }
  switch (schema.type) {
    case 'time':
      return empty ? null : `${dateTime(first)}Z`
    case 'microTime':
      return empty ? null : `${dateTime(first)}.${String(Math.floor(Number(second) / 1000)).padStart(6, '0')}Z`
    case 'duration':
      return formatDuration(BigInt(first))
    case 'quantity':
      return bytes ? decodeUtf8(bytes) : '0'
    case 'intOrString':
      return Number(first) === 1 ? third : Number(BigInt.asIntN(32, BigInt(second)))
    default:
      if (bytes === undefined || bytes.length === 0) return null
      if (left < Number.POSITIVE_INFINITY) boundJsonValues(Buffer.from(bytes))
      return parseJson(Buffer.from(bytes)).value
  }
}

function dateTime(seconds: number | bigint): string {
  const date = new Date(Number(seconds) * 1000)
  // RFC 3339 has four digits for the year.
  const year = date.getUTCFullYear()
  if (!(year >= 0 && year <= 9999)) throw new ProtobufError('proto: year outside of range [0,9999]')
  return date.toISOString().slice(0, 19)
}
