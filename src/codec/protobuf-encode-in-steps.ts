import protobuf from 'protobufjs/minimal.js'
import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'
import { compareText } from '../lib/compare-text.ts'
import { WIRE_BYTES } from '../lib/protobuf-wire.ts'
import { isStepDone, type Steps, sortInSteps } from '../lib/steps.ts'
import { memberNames } from '../lib/wide-objects.ts'
import { hasFewValues } from '../meta/few-values.ts'
import type { ListSchema, MapSchema, Schema, StructSchema } from '../schema/schema.ts'
import { goJsonInSteps, rawJsonInSteps } from './json-in-steps.ts'
import { encodeProtobuf, type TypeMeta, wrap } from './protobuf.ts'
import { encodeField } from './protobuf-encode.ts'
import { planOf } from './protobuf-plan.ts'

/** List or map elements that are encoded in one call. */
const FEW = 256

/** Like `encodeMessage`, in steps, for objects that may be large. */
export function* encodeMessageInSteps(schema: StructSchema, object: JsonObject): Steps<Buffer> {
  const parts: Uint8Array[] = []
  const length = yield* addMembers(parts, schema, object)
  const message = Buffer.allocUnsafe(length)
  let at = 0
  for (const part of parts) {
    if (isStepDone()) yield
    message.set(part, at)
    at += part.length
  }
  return message
}

/** Like `encodeProtobuf`: small objects at once, others in steps. */
export function* encodeProtobufInSteps(schema: StructSchema, type: TypeMeta, object: JsonObject): Steps<Buffer> {
  if (hasFewValues(object)) return encodeProtobuf(schema, type, object)
  yield
  return wrap(type, yield* encodeMessageInSteps(schema, object))
}

/** Adds the members of a message. Returns their length in bytes. */
function* addMembers(parts: Uint8Array[], schema: StructSchema, object: JsonObject): Steps<number> {
  let length = 0
  for (const entry of planOf(schema)) {
    if (isStepDone()) yield
    if ('inline' in entry) length += yield* addMessage(parts, entry.number, entry.inline, object)
    else length += yield* addField(parts, entry.number, entry.schema, object[entry.field.name], entry.field.pointer)
  }
  return length
}

/** Adds a message, preceded by its tag and length. */
function* addMessage(parts: Uint8Array[], number: number, schema: StructSchema, object: JsonObject): Steps<number> {
  const at = parts.length
  parts.push(NOTHING)
  const length = yield* addMembers(parts, schema, object)
  const head = headOf(number, length)
  parts[at] = head
  return head.length + length
}

const NOTHING = new Uint8Array(0)

function* addField(parts: Uint8Array[], number: number, schema: Schema, value: Json | undefined, pointer: boolean): Steps<number> {
  if (schema.type === 'struct' && isJsonObject(value)) return yield* addMessage(parts, number, schema, value)
  if (schema.type === 'list' && Array.isArray(value)) return yield* addItems(parts, number, schema, value)
  if (schema.type === 'map' && isJsonObject(value)) return yield* addEntries(parts, number, schema, value)
  if ((schema.type === 'raw' || schema.type === 'json') && typeof value === 'object' && value !== null)
    return yield* addJson(parts, number, schema, value)
  return addPart(parts, encodeField(number, schema, value, pointer))
}

/** Adds a value as JSON: a message whose first field is its text. */
function* addJson(parts: Uint8Array[], number: number, schema: Schema, value: Json): Steps<number> {
  const written = yield* schema.type === 'raw' ? rawJsonInSteps(value) : goJsonInSteps(value)
  const text = Buffer.concat(written.map(part => Buffer.from(part)))
  const inner = headOf(1, text.length)
  return addPart(parts, headOf(number, inner.length + text.length)) + addPart(parts, inner) + addPart(parts, text)
}

/** The tag of a field of this many bytes, and its length. */
const headOf = (number: number, length: number): Uint8Array =>
  protobuf.Writer.create()
    .uint32((number << 3) | WIRE_BYTES)
    .uint32(length)
    .finish()

function addPart(parts: Uint8Array[], part: Uint8Array): number {
  parts.push(part)
  return part.length
}

/** Returns the number of bytes. Structs are divided further; of other items, a few are encoded at once. */
function* addItems(parts: Uint8Array[], number: number, schema: ListSchema, items: readonly Json[]): Steps<number> {
  const { items: item } = schema
  let length = 0
  if (item.type === 'struct')
    for (const each of items) {
      if (isStepDone()) yield
      length += yield* addMessage(parts, number, item, isJsonObject(each) ? each : {})
    }
  else
    for (let i = 0; i < items.length; i += FEW) {
      length += addPart(parts, encodeField(number, schema, items.slice(i, i + FEW), false))
      if (items.length > FEW) yield
    }
  return length
}

/** Writes entries in byte order of their keys, as Go's encoders of Kubernetes do. Returns the number of bytes. */
function* addEntries(parts: Uint8Array[], number: number, schema: MapSchema, map: JsonObject): Steps<number> {
  const keys = yield* memberNames(map)
  if (keys.length <= FEW) return addPart(parts, encodeField(number, schema, map, false))
  yield
  let length = 0
  const ordered = yield* sortInSteps(keys, compareText)
  for (let i = 0; i < ordered.length; i += FEW) {
    const few = Object.fromEntries(ordered.slice(i, i + FEW).map(key => [key, map[key] ?? null]))
    length += addPart(parts, encodeField(number, schema, few, false))
    yield
  }
  return length
}
