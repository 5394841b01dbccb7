import type protobuf from 'protobufjs/minimal.js'
import type { Json } from '../api/meta/object.ts'
import { formatDuration } from '../lib/duration.ts'
import { ProtobufError } from '../lib/protobuf-error.ts'
import { nextField, readBytes, readVarint, WIRE_BYTES, WIRE_VARINT, type WireMessage } from '../lib/protobuf-wire.ts'
import type { ScalarSchema } from '../schema/schema.ts'
import { parseJson } from './json.ts'
import { decodeBytes, decodeUtf8 } from './utf8.ts'

type ProtobufReader = protobuf.Reader

/**
 * Reads a string, starting at its length. Upstream does not check that it is UTF-8: it keeps all bytes, and writes
 * U+FFFD for each invalid one in JSON and YAML, and `\x..` in messages.
 */
export function readText(reader: ProtobufReader): string {
  const start = reader.pos
  let string: string
  try {
    string = reader.string()
  } catch {
    reader.pos = start
    string = Buffer.from(readBytes(reader)).toString()
  }
  if (string.includes('\ufffd')) {
    const end = reader.pos
    reader.pos = start
    string = decodeBytes(readBytes(reader))
    reader.pos = end
  }
  return string
}

/** Reads a signed 64-bit varint. Returns a bigint if a number would round. */
export function readInteger(reader: ProtobufReader): number | bigint {
  const value = readVarint(reader)
  if (typeof value === 'number') return value
  const exact = BigInt.asIntN(64, value)
  const near = Number(exact)
  return Number.isSafeInteger(near) ? near : exact
}

/** Fields of the messages of special JSON forms, by number. No such message has two fields with one number. */
interface SpecialMembers {
  /** Field 1 as a varint: seconds, nanoseconds of a duration, or the kind of an IntOrString. */
  first: number | bigint
  /** Field 1 as bytes: the text of a quantity, raw JSON. */
  bytes: Uint8Array | undefined
  /** Field 2: nanoseconds, or the integer of an IntOrString. */
  second: number | bigint
  /** Field 3: the text of an IntOrString. */
  third: string
}

const TIMESTAMP: WireMessage = {
  name: 'Timestamp',
  fields: [
    ['Seconds', WIRE_VARINT],
    ['Nanos', WIRE_VARINT],
  ],
}
const RAW: WireMessage = { name: 'RawExtension', fields: [['Raw', WIRE_BYTES]] }
const MESSAGES: Readonly<Partial<Record<ScalarSchema['type'], WireMessage>>> = {
  time: TIMESTAMP,
  microTime: TIMESTAMP,
  duration: { name: 'Duration', fields: [['Duration', WIRE_VARINT]] },
  quantity: { name: 'Quantity', fields: [['String_', WIRE_BYTES]] },
  intOrString: {
    name: 'IntOrString',
    fields: [
      ['Type', WIRE_VARINT],
      ['IntVal', WIRE_VARINT],
      ['StrVal', WIRE_BYTES],
    ],
  },
}

/** Absent members are zero. Repeated ones replace each other, as in Go's generated decoders. */
function readMembers(reader: ProtobufReader, end: number, message: WireMessage): SpecialMembers {
  const members: SpecialMembers = { first: 0, bytes: undefined, second: 0, third: '' }
  const beginsWithBytes = message.fields[0]?.[1] === WIRE_BYTES
  for (let number = nextField(reader, end, message); number > 0; number = nextField(reader, end, message)) {
    if (number === 1 && beginsWithBytes) members.bytes = readBytes(reader)
    else if (number === 1) members.first = readInteger(reader)
    else if (number === 2) members.second = readInteger(reader)
    else members.third = readText(reader)
  }
  return members
}

/** Reads the message of a special JSON form up to `end`. `bound` throws if raw JSON holds too many values. */
export function readSpecial(reader: ProtobufReader, end: number, schema: ScalarSchema, bound?: (json: Buffer) => void): Json {
  const empty = reader.pos >= end
  const { first, bytes, second, third } = readMembers(reader, end, MESSAGES[schema.type] ?? RAW)
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
    default: {
      if (bytes === undefined || bytes.length === 0) return null
      const json = Buffer.from(bytes)
      bound?.(json)
      return parseJson(json).value
    }
  }
}

/** Formats seconds since 1970 as RFC 3339 without a zone. Throws ProtobufError for years outside 0 to 9999. */
function dateTime(seconds: number | bigint): string {
  const date = new Date(Number(seconds) * 1000)
  const year = date.getUTCFullYear()
  if (!(year >= 0 && year <= 9999)) throw new ProtobufError('proto: year outside of range [0,9999]')
  return date.toISOString().slice(0, 19)
}
