import protobuf from 'protobufjs/minimal.js'
import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'
import { parseDuration } from '../lib/duration.ts'
import { invariant } from '../lib/invariant.ts'
import { WIRE_BYTES, WIRE_FIXED32, WIRE_FIXED64, WIRE_VARINT } from '../lib/protobuf-wire.ts'
import { writeInteger } from '../lib/protobuf-writing.ts'
import { goJson, rawJson } from '../schema/json-text.ts'
import { sortedKeys } from '../schema/members.ts'
import type { ScalarSchema, Schema, StructSchema, UnionSchema } from '../schema/schema.ts'
import { planOf, zeros } from './protobuf-plan.ts'

type Writer = protobuf.Writer

/**
 * Encodes a normalised object as the protobuf message of its type, like Go's generated code: ascending field numbers,
 * non-pointer scalars even if zero, no empty lists and maps, map entries sorted by key. kind and apiVersion are not
 * part of a message.
 */
export function encodeMessage(schema: StructSchema, object: JsonObject): Uint8Array {
  const writer = protobuf.Writer.create()
  writeMessage(writer, schema, object)
  return writer.finish()
}

/** Encodes one field of a message. An absent or null value is omitted, or zero if the field is not a pointer. */
export function encodeField(number: number, schema: Schema, value: Json | undefined, pointer: boolean): Uint8Array {
  const writer = protobuf.Writer.create()
  writeField(writer, number, schema, value, pointer)
  return writer.finish()
}

/** Writes the members of a message, without its length. */
function writeMessage(writer: Writer, schema: StructSchema, object: JsonObject): void {
  for (const entry of planOf(schema)) {
    if ('inline' in entry) {
      writer.uint32((entry.number << 3) | WIRE_BYTES).fork()
      writeMessage(writer, entry.inline, object)
      writer.ldelim()
    } else writeField(writer, entry.number, entry.schema, object[entry.field.name], entry.field.pointer)
  }
}

function writeField(writer: Writer, number: number, schema: Schema, value: Json | undefined, pointer: boolean): void {
  if (schema.type === 'list') {
    if (Array.isArray(value)) for (const item of value) writeValue(writer, number, schema.items, item)
  } else if (schema.type === 'map') {
    if (isJsonObject(value)) writeMap(writer, number, schema.values, value)
  } else if (value !== undefined && value !== null) writeValue(writer, number, schema, value)
  else if (!pointer) writeZero(writer, number, schema)
}

/**
 * Writes a map, whose entries are messages of a key and a value. Go sorts entries, so equal objects have equal bytes.
 */
function writeMap(writer: Writer, number: number, values: Schema, map: JsonObject): void {
  for (const key of sortedKeys(map)) {
    writer.uint32((number << 3) | WIRE_BYTES).fork()
    writer.uint32((1 << 3) | WIRE_BYTES).string(key)
    // A list as a map value is wrapped in a message (ExtraValue).
    if (values.type === 'list') {
      writer.uint32((2 << 3) | WIRE_BYTES).fork()
      writeField(writer, 1, values, map[key], false)
      writer.ldelim()
    } else writeValue(writer, 2, values, map[key] ?? null)
    writer.ldelim()
  }
}

/** Writes the zero value of an absent member that is not a pointer. */
function writeZero(writer: Writer, number: number, schema: Schema): void {
  const zero = zeros[schema.type]
  if (zero !== undefined) writeValue(writer, number, schema, zero)
}

/** A value of a wrong type is written as an empty message; scalars of a wrong type throw. */
function writeValue(writer: Writer, number: number, schema: Schema, value: Json): void {
  switch (schema.type) {
    case 'struct':
      writer.uint32((number << 3) | WIRE_BYTES).fork()
      writeMessage(writer, schema, isJsonObject(value) ? value : {})
      writer.ldelim()
      return
    case 'map':
    case 'list':
      writeField(writer, number, schema, value, false)
      return
    case 'union':
      writer.uint32((number << 3) | WIRE_BYTES).fork()
      writeUnion(writer, schema, value)
      writer.ldelim()
      return
    default:
      writeScalar(writer, number, schema, value)
  }
}

/**
 * Writes a union, a message of two fields. A boolean is always written, and is true beside a struct; for other forms
 * only the field that is set.
 */
function writeUnion(writer: Writer, { form, struct }: UnionSchema, value: Json): void {
  const isStruct = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (form === 'boolean') {
    writer.uint32((1 << 3) | WIRE_VARINT).bool(isStruct || value === true)
    if (isStruct) writeValue(writer, 2, struct, value)
  } else if (isStruct) writeValue(writer, 1, struct, value)
  else if (Array.isArray(value)) {
    const items: Schema = form === 'list' ? struct : { type: 'string', goType: 'string' }
    for (const item of value) writeValue(writer, 2, items, item)
  }
}

/** Integers are varints, negative ones in ten bytes, as `int32` and `int64` are in proto2. */
function writeScalar(writer: Writer, number: number, schema: ScalarSchema, value: Json): void {
  switch (schema.type) {
    case 'string':
      writer.uint32((number << 3) | WIRE_BYTES).string(checkedText(value))
      return
    case 'integer':
      writer.uint32((number << 3) | WIRE_VARINT)
      writeInteger(writer, checkedInteger(value))
      return
    case 'number':
      if (schema.goType === 'float32') writer.uint32((number << 3) | WIRE_FIXED32).float(Number(value))
      else writer.uint32((number << 3) | WIRE_FIXED64).double(Number(value))
      return
    case 'boolean':
      writer.uint32((number << 3) | WIRE_VARINT).bool(value === true)
      return
    case 'bytes':
      writer.uint32((number << 3) | WIRE_BYTES).bytes(Buffer.from(checkedText(value), 'base64'))
      return
    default:
      writer.uint32((number << 3) | WIRE_BYTES).fork()
      writeSpecial(writer, schema, value)
      writer.ldelim()
  }
}

/** Returns a value that the schema declares as a string. */
function checkedText(value: Json): string {
  invariant(typeof value === 'string', 'a text in a normalised object')
  return value
}

/** Returns a value that the schema declares as an integer. */
function checkedInteger(value: Json): number | bigint {
  invariant(typeof value === 'number' || typeof value === 'bigint', 'a whole number in a normalised object')
  return value
}

/** Writes the message of a special JSON form. */
function writeSpecial(writer: Writer, schema: ScalarSchema, value: Json): void {
  switch (schema.type) {
    case 'time':
    case 'microTime': {
      if (value === null) return
      const text = checkedText(value)
      const millis = Date.parse(text)
      const seconds = Math.floor(millis / 1000)
      const fraction = schema.type === 'microTime' ? (/\.(\d+)/.exec(text)?.[1] ?? '') : ''
      writer.uint32((1 << 3) | WIRE_VARINT)
      writeInteger(writer, seconds)
      writer.uint32((2 << 3) | WIRE_VARINT)
      writeInteger(writer, Number(fraction.padEnd(9, '0').slice(0, 9)))
      return
    }
    case 'duration':
      writer.uint32((1 << 3) | WIRE_VARINT)
      writeInteger(writer, parseDuration(checkedText(value)))
      return
    case 'quantity':
      writer.uint32((1 << 3) | WIRE_BYTES).string(String(value))
      return
    case 'intOrString': {
      const isString = typeof value === 'string'
      writer.uint32((1 << 3) | WIRE_VARINT).uint32(isString ? 1 : 0)
      writer.uint32((2 << 3) | WIRE_VARINT)
      writeInteger(writer, isString ? 0 : checkedInteger(value))
      writer.uint32((3 << 3) | WIRE_BYTES).string(isString ? value : '')
      return
    }
    default: {
      if (value !== null) writer.uint32((1 << 3) | WIRE_BYTES).bytes(Buffer.from(schema.type === 'json' ? goJson(value) : rawJson(value)))
    }
  }
}
