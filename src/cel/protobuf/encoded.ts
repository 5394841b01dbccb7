import { isUtf8 } from 'node:buffer'
import { WIRE_BYTES, WIRE_FIXED32, WIRE_FIXED64, WIRE_VARINT } from '../../lib/protobuf-wire.ts'
import { toInt } from '../values/integer.ts'
import { listOfValues } from '../values/list.ts'
import { ValueMap } from '../values/map.ts'
import { CelDouble, CelUint, type Value } from '../values/value.ts'
import { type WireField, wireFields } from './wire.ts'

/** Encoding of a field. A field with another wire type is treated as unknown. */
interface Encoding {
  readonly name: string
  readonly wire: WireField['wire']
  /** Decodes the field. Undefined if it is malformed. */
  readonly read: (field: WireField, depth: number) => Value | undefined
}

/** Values of the fields of a message that are set. */
export type FieldValues = ReadonlyMap<string, Value>

/** Maximum nesting depth of values. */
const MAX_DEPTH = 500

/** Fixed-length numbers are little-endian. */
const dataView = ({ bytes }: WireField): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const readInt = (bits: number) => (field: WireField) => toInt(BigInt.asIntN(bits, field.varint))
const readUint = (bits: number) => (field: WireField) => new CelUint(BigInt.asUintN(bits, field.varint))
const readBool = (field: WireField): Value => field.varint !== 0n
const readDouble = (field: WireField): Value => new CelDouble(dataView(field).getFloat64(0, true))
const readFloat = (field: WireField): Value => new CelDouble(dataView(field).getFloat32(0, true))
/** Decodes a text. Undefined for invalid UTF-8. */
const readText = ({ bytes }: WireField): Value | undefined => (isUtf8(bytes) ? Buffer.from(bytes).toString('utf8') : undefined)
const readBytes = ({ bytes }: WireField): Value => Uint8Array.from(bytes)

/** Fields of Timestamp and Duration: seconds, and nanoseconds within the second. */
const SECONDS_AND_NANOS: readonly Encoding[] = [
  { name: 'seconds', wire: WIRE_VARINT, read: readInt(64) },
  { name: 'nanos', wire: WIRE_VARINT, read: readInt(32) },
]

/** google.protobuf.Value: any JSON value. */
const VALUE: readonly Encoding[] = [
  { name: 'null_value', wire: WIRE_VARINT, read: () => null },
  { name: 'number_value', wire: WIRE_FIXED64, read: readDouble },
  { name: 'string_value', wire: WIRE_BYTES, read: readText },
  { name: 'bool_value', wire: WIRE_VARINT, read: readBool },
  { name: 'struct_value', wire: WIRE_BYTES, read: ({ bytes }, depth) => jsonStructOf(bytes, depth) },
  { name: 'list_value', wire: WIRE_BYTES, read: ({ bytes }, depth) => jsonListOf(bytes, depth) },
]

/** An entry of google.protobuf.Struct. */
const ENTRY: readonly Encoding[] = [
  { name: 'key', wire: WIRE_BYTES, read: readText },
  { name: 'value', wire: WIRE_BYTES, read: ({ bytes }, depth) => jsonValueOf(bytes, depth) },
]

/** A wrapper such as google.protobuf.Int64Value. Its single field distinguishes an absent value from zero. */
const wrapping = (wire: WireField['wire'], read: Encoding['read']): readonly Encoding[] => [{ name: 'value', wire, read }]

/** Fields by message name. The index of a field is its number minus 1. */
const ENCODINGS: ReadonlyMap<string, readonly Encoding[]> = new Map([
  ['google.protobuf.BoolValue', wrapping(WIRE_VARINT, readBool)],
  ['google.protobuf.BytesValue', wrapping(WIRE_BYTES, readBytes)],
  ['google.protobuf.DoubleValue', wrapping(WIRE_FIXED64, readDouble)],
  ['google.protobuf.Duration', SECONDS_AND_NANOS],
  ['google.protobuf.Empty', []],
  ['google.protobuf.FloatValue', wrapping(WIRE_FIXED32, readFloat)],
  ['google.protobuf.Int32Value', wrapping(WIRE_VARINT, readInt(32))],
  ['google.protobuf.Int64Value', wrapping(WIRE_VARINT, readInt(64))],
  ['google.protobuf.StringValue', wrapping(WIRE_BYTES, readText)],
  ['google.protobuf.Timestamp', SECONDS_AND_NANOS],
  ['google.protobuf.UInt32Value', wrapping(WIRE_VARINT, readUint(32))],
  ['google.protobuf.UInt64Value', wrapping(WIRE_VARINT, readUint(64))],
  ['google.protobuf.Value', VALUE],
])

/**
 * Decodes fields by name. A repeated field moves to the end, with its last value. Undefined if the message is
 * malformed.
 */
function readFields(encodings: readonly Encoding[], bytes: Uint8Array, depth: number): Map<string, Value> | undefined {
  const fields = new Map<string, Value>()
  for (const field of wireFields(bytes) ?? [undefined]) {
    if (!field) return undefined
    const encoding = encodings[field.number - 1]
    if (encoding?.wire !== field.wire) continue
    const value = encoding.read(field, depth)
    if (value === undefined) return undefined
    fields.delete(encoding.name)
    fields.set(encoding.name, value)
  }
  return fields
}

/** Returns every occurrence of field 1. Undefined if the message is malformed or nested too deeply. */
function repeated(bytes: Uint8Array, depth: number): Uint8Array[] | undefined {
  if (depth >= MAX_DEPTH) return undefined
  return wireFields(bytes)?.flatMap(field => (field.number === 1 && field.wire === WIRE_BYTES ? [field.bytes] : []))
}

/** Decodes a google.protobuf.Value. The last alternative wins; null if there is none. */
function jsonValueOf(bytes: Uint8Array, depth: number): Value | undefined {
  const fields = readFields(VALUE, bytes, depth + 1)
  return fields && ([...fields.values()].at(-1) ?? null)
}

function jsonListOf(bytes: Uint8Array, depth: number): Value | undefined {
  const values: Value[] = []
  for (const element of repeated(bytes, depth) ?? [undefined]) {
    const value = element && jsonValueOf(element, depth)
    if (value === undefined) return undefined
    values.push(value)
  }
  return listOfValues(values)
}

function jsonStructOf(bytes: Uint8Array, depth: number): Value | undefined {
  const members = new ValueMap()
  for (const element of repeated(bytes, depth) ?? [undefined]) {
    const entry = element && readFields(ENTRY, element, depth)
    if (!entry) return undefined
    members.set(entry.get('key') ?? '', entry.get('value') ?? null)
  }
  return members
}

/** Decodes a message of protobuf's own types. Undefined if the message is unknown or malformed. */
export function encodedFields(name: string, bytes: Uint8Array): FieldValues | undefined {
  if (name === 'google.protobuf.ListValue') return only('values', jsonListOf(bytes, 0))
  if (name === 'google.protobuf.Struct') return only('fields', jsonStructOf(bytes, 0))
  const encodings = ENCODINGS.get(name)
  return encodings && readFields(encodings, bytes, 0)
}

const only = (name: string, value: Value | undefined): FieldValues | undefined =>
  value === undefined ? undefined : new Map([[name, value]])
