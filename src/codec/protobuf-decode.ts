import protobuf from 'protobufjs/minimal.js'
import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'
import { ProtobufError } from '../lib/protobuf-error.ts'
import {
  expectWire,
  readBytes,
  readEnd,
  readTag,
  readVarint,
  skipField,
  WIRE_BYTES,
  WIRE_FIXED32,
  WIRE_FIXED64,
  WIRE_VARINT,
} from '../lib/protobuf-wire.ts'
import { isStepDone, runAtOnce, type Steps } from '../lib/steps.ts'
import { noteMembers } from '../lib/wide-objects.ts'
import { setMember } from '../meta/equal.ts'
import { StatusError } from '../meta/status.ts'
import type { Schema, StructSchema, UnionSchema } from '../schema/schema.ts'
import type { PlanEntry } from './protobuf-plan.ts'
import { planOf, zeros } from './protobuf-plan.ts'
import { readInteger, readSpecial, readText } from './protobuf-scalars.ts'
import { boundJsonValues, boundMembers, tooManyValues } from './value-bound.ts'

/** Limit on nested messages, for recursion. Schemas of custom resources contain schemas; no other type nests deeply. */
const MAX_DEPTH = 1000
/** Limit on the characters of a path that an error quotes. */
const MOST_PATH = 200

/**
 * Decodes a message to a value of the JSON data model, which is not yet normalised: the caller decodes it with its
 * schema. Unknown fields are dropped. Throws ProtobufError with upstream's text, followed by the path if there is one.
 * `mostValues` is given for messages of clients: throws 413 for more values, and for a map of too many entries.
 */
export const decodeMessage = (schema: StructSchema, bytes: Uint8Array, mostValues?: number): JsonObject =>
  runAtOnce(decodeMessageInSteps(schema, bytes, mostValues))

/**
 * Like `decodeMessage`, in steps, for messages that may be large. Most map entries are set after the message is read.
 */
export function* decodeMessageInSteps(schema: StructSchema, bytes: Uint8Array, mostValues = Number.POSITIVE_INFINITY): Steps<JsonObject> {
  const reader = new MessageReader(bytes, mostValues)
  const value = yield* reader.read(schema)
  yield
  const counts = new Map<JsonObject, number>()
  for (const { map } of reader.late) counts.set(map, (counts.get(map) ?? 0) + 1)
  for (const [map, count] of counts) {
    if (mostValues < Number.POSITIVE_INFINITY) boundMembers(Object.keys(map).length + count)
    noteMembers(map, count)
  }
  for (const { map, key, value: member } of reader.late) {
    setMember(map, key, member)
    if (isStepDone()) yield
  }
  return value
}

/** A map entry that has not been set yet. */
interface LateEntry {
  readonly map: JsonObject
  readonly key: string
  readonly value: Json
}

/**
 * Map entries of a message that are set when they are read. Setting a member of a wide object takes longer than reading
 * it.
 */
const FEW_ENTRIES = 1024

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Members of each struct by field number, computed when it is first decoded. */
const byNumber = new WeakMap<StructSchema, ReadonlyMap<number, PlanEntry>>()

function planEntries(schema: StructSchema): ReadonlyMap<number, PlanEntry> {
  let entries = byNumber.get(schema)
  if (!entries) {
    entries = new Map(planOf(schema).map(entry => [entry.number, entry]))
    byNumber.set(schema, entries)
  }
  return entries
}

/**
 * Reads one message recursively. Repeated fields are merged as protobuf requires: scalars are replaced, structs merged,
 * lists and maps extended.
 */
class MessageReader {
  readonly #reader: protobuf.Reader
  readonly #bytes: Buffer
  /** Members and indices that lead to the current value. */
  readonly #path: (string | number)[] = []
  /** Number of enclosing messages. */
  #depth = 0
  /** Number of values that may still be read. */
  #left: number
  /** Number of map entries read. */
  #entries = 0
  /** Map entries beyond the first few, in order. Set once the message is read. */
  readonly late: LateEntry[] = []

  constructor(bytes: Uint8Array, mostValues: number) {
    this.#bytes = asBuffer(bytes)
    this.#reader = protobuf.Reader.create(this.#bytes)
    this.#left = mostValues
  }

  /** Throws ProtobufError with the path at which reading ended, and 413 if the message has more values than allowed. */
  *read(schema: StructSchema): Steps<JsonObject> {
    try {
      const out: JsonObject = {}
      yield* this.#messageInSteps(this.#bytes.length, schema, out)
      return out
    } catch (error) {
      if (error instanceof StatusError) throw error
      const fault = error instanceof ProtobufError ? error.fault : 'unexpected EOF'
      throw new ProtobufError(fault, { cause: error, ...(this.#path.length > 0 && { path: this.#where() }) })
    }
  }

  #where(): string {
    let out = ''
    for (const step of this.#path) out += typeof step === 'number' ? `[${step}]` : out === '' ? step : `.${step}`
    return out.length > MOST_PATH ? `${out.slice(0, MOST_PATH)}…` : out
  }

  #enter(): void {
    if (this.#depth++ > MAX_DEPTH) throw new ProtobufError('proto: message is nested too deeply')
  }

  #leave(end: number): void {
    if (this.#reader.pos > end) throw new ProtobufError('unexpected EOF')
    this.#depth--
  }

  /** Adds the members of a message that ends at `end` to `out`. */
  #message(end: number, schema: StructSchema, out: JsonObject): void {
    this.#enter()
    const reader = this.#reader
    const entries = planEntries(schema)
    while (reader.pos < end) {
      const tag = readTag(reader, schema.name)
      const wire = tag & 7
      const number = tag >>> 3
      const entry = entries.get(number)
      if (entry === undefined) skipField(reader, wire)
      else if ('inline' in entry) {
        expectField(wire, WIRE_BYTES, schema.name)
        this.#message(readEnd(this.#reader), entry.inline, out)
      } else this.#field(wire, entry.field.name, entry.schema, out)
    }
    this.#leave(end)
  }

  /**
   * `#message` in steps, for the root and the structs in it that are in no list: they contain the long lists and maps.
   * Others are read in one call, as a generator for each would cost more.
   */
  *#messageInSteps(end: number, schema: StructSchema, out: JsonObject): Steps<void> {
    this.#enter()
    const reader = this.#reader
    const entries = planEntries(schema)
    while (reader.pos < end) {
      if (isStepDone()) yield
      const tag = readTag(reader, schema.name)
      const wire = tag & 7
      const entry = entries.get(tag >>> 3)
      if (entry === undefined) skipField(reader, wire)
      else if ('inline' in entry) {
        expectField(wire, WIRE_BYTES, schema.name)
        yield* this.#messageInSteps(readEnd(this.#reader), entry.inline, out)
      } else if (entry.schema.type === 'struct') yield* this.#structInSteps(wire, entry.field.name, entry.schema, out)
      else this.#field(wire, entry.field.name, entry.schema, out)
    }
    this.#leave(end)
  }

  *#structInSteps(wire: number, name: string, schema: StructSchema, out: JsonObject): Steps<void> {
    if (--this.#left < 0) throw tooManyValues()
    this.#path.push(name)
    expectField(wire, WIRE_BYTES, name)
    const before = out[name]
    const value: JsonObject = isJsonObject(before) ? before : {}
    yield* this.#messageInSteps(readEnd(this.#reader), schema, value)
    out[name] = value
    this.#path.pop()
  }

  /** Adds one field to `out`. Items and entries count as values of their own towards the limit. */
  #field(wire: number, name: string, schema: Schema, out: JsonObject): void {
    if (--this.#left < 0) throw tooManyValues()
    const path = this.#path
    path.push(name)
    const before = out[name]
    if (schema.type === 'list') {
      const list: Json[] = Array.isArray(before) ? before : []
      out[name] = list
      path.push(list.length)
      list.push(this.#value(wire, name, schema.items, undefined))
      path.pop()
    } else if (schema.type === 'map') {
      expectField(wire, WIRE_BYTES, name)
      const map: JsonObject = isJsonObject(before) ? before : {}
      out[name] = map
      this.#mapEntry(schema.values, map)
    } else out[name] = this.#value(wire, name, schema, before)
    path.pop()
  }

  /** Reads a map entry, which is a message of a key and a value. */
  #mapEntry(values: Schema, map: JsonObject): void {
    const reader = this.#reader
    const end = readEnd(this.#reader)
    let key = ''
    let value: Json | undefined
    while (reader.pos < end) {
      // The wire types of an entry's fields are not checked, as in upstream's generated code.
      const tag = readTag(reader, undefined)
      const wire = tag & 7
      const number = tag >>> 3
      if (number === 1) key = readText(reader)
      else if (number === 2) value = this.#mapValue(key, values)
      else skipField(reader, wire)
    }
    this.#put(map, key, value === undefined ? zeroOf(values) : value)
  }

  #put(map: JsonObject, key: string, value: Json): void {
    if (++this.#entries <= FEW_ENTRIES) setMember(map, key, value)
    else this.late.push({ map, key, value })
  }

  /** Reads a map value. A list is wrapped in a message (ExtraValue) as its field 1. */
  #mapValue(key: string, values: Schema): Json {
    if (values.type === 'list') {
      const holder: JsonObject = {}
      const end = readEnd(this.#reader)
      while (this.#reader.pos < end) this.#field(readTag(this.#reader, undefined) & 7, 'items', values, holder)
      return holder.items ?? []
    }
    this.#path.push(key)
    const value = this.#value(wireOf(values), key, values, undefined)
    this.#path.pop()
    return value
  }

  /** Reads a value. `before`: result of an earlier occurrence of the field. */
  #value(wire: number, name: string, schema: Schema, before: Json | undefined): Json {
    const reader = this.#reader
    switch (schema.type) {
      case 'struct':
        return this.#struct(wire, name, schema, before)
      case 'string':
        expectField(wire, WIRE_BYTES, name)
        return readText(reader)
      case 'bytes':
        expectField(wire, WIRE_BYTES, name)
        return asBuffer(readBytes(reader)).toString('base64')
      case 'integer':
        expectField(wire, wireOf(schema), name)
        return schema.goType === 'int32' ? Number(BigInt.asIntN(32, BigInt(readVarint(reader)))) : readInteger(reader)
      case 'boolean':
        expectField(wire, WIRE_VARINT, name)
        return readVarint(reader) !== 0
      case 'number':
        expectField(wire, wireOf(schema), name)
        return schema.goType === 'float32' ? reader.float() : reader.double()
      case 'union':
        expectField(wire, WIRE_BYTES, name)
        return this.#union(readEnd(this.#reader), schema)
      case 'list':
      case 'map':
        throw new ProtobufError(`proto: ${name}: a list of lists has no message`)
      case 'raw':
      case 'json':
        expectField(wire, WIRE_BYTES, name)
        return readSpecial(reader, readEnd(this.#reader), schema, this.#left < Number.POSITIVE_INFINITY ? boundJsonValues : undefined)
      default:
        expectField(wire, WIRE_BYTES, name)
        return readSpecial(reader, readEnd(this.#reader), schema)
    }
  }

  #struct(wire: number, name: string, schema: StructSchema, before: Json | undefined): JsonObject {
    expectField(wire, WIRE_BYTES, name)
    const out: JsonObject = isJsonObject(before) ? before : {}
    this.#message(readEnd(this.#reader), schema, out)
    return out
  }

  /** Reads a union: a message of two fields, of which one is set: the struct or the alternative form. */
  #union(end: number, { name, form, struct }: UnionSchema): Json {
    this.#enter()
    const reader = this.#reader
    let allows = false
    let inner: JsonObject | undefined
    const items: Json[] = []
    const structNumber = form === 'boolean' ? 2 : 1
    while (reader.pos < end) {
      const tag = readTag(reader, name)
      const wire = tag & 7
      const number = tag >>> 3
      if (number === structNumber) inner = this.#struct(wire, name, struct, inner)
      else if (number === 1) {
        expectField(wire, WIRE_VARINT, name)
        allows = readVarint(reader) !== 0
      } else if (number === 2) {
        expectField(wire, WIRE_BYTES, name)
        items.push(form === 'list' ? this.#value(wire, name, struct, undefined) : readText(reader))
      } else skipField(reader, wire)
    }
    this.#leave(end)
    if (form === 'boolean') return inner ?? allows
    return items.length > 0 ? items : (inner ?? null)
  }
}

/** Throws ProtobufError if a field has an unexpected wire type. `name`: JSON name of the field. */
function expectField(wire: number, wanted: number, name: string): void {
  if (wire !== wanted) expectWire(wire, wanted, goFieldName(name))
}

/** Wire type of a value. */
function wireOf(schema: Schema): number {
  if (schema.type === 'integer' || schema.type === 'boolean') return WIRE_VARINT
  if (schema.type === 'number') return schema.goType === 'float32' ? WIRE_FIXED32 : WIRE_FIXED64
  return WIRE_BYTES
}

/**
 * Go name of a field: the capitalised JSON name, apart from a few with more capitals. The metadata of an object is an
 * embedded struct.
 */
const goFieldName = (name: string): string => GO_NAMES.get(name) ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`

const GO_NAMES = new Map([
  ['metadata', 'ObjectMeta'],
  ['uid', 'UID'],
  ['apiVersion', 'APIVersion'],
])

/** Value of a map entry without a value. */
function zeroOf(schema: Schema): Json {
  switch (schema.type) {
    case 'list':
      return []
    case 'bytes':
      return ''
    case 'union':
      return schema.form === 'boolean' ? false : null
    default:
      return zeros[schema.type] ?? null
  }
}
