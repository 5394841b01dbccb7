import { ProtobufError } from '../../lib/protobuf-error.ts'
import {
  readBytes,
  readFixed,
  readVarint,
  WIRE_BYTES,
  WIRE_FIXED32,
  WIRE_FIXED64,
  WIRE_VARINT,
  type WireCursor,
} from '../../lib/protobuf-wire.ts'

/**
 * A field of an encoded message. `varint` has its number, or `bytes` the contents of a field with another wire type.
 */
export interface WireField {
  readonly number: number
  readonly wire: number
  readonly varint: bigint
  readonly bytes: Uint8Array
}

const NO_BYTES = new Uint8Array()

/** Reads a varint. Throws ProtobufError if it has more than 64 bits, which gogo/protobuf truncates. */
function readNumber(cursor: WireCursor): bigint {
  const start = cursor.pos
  const value = BigInt(readVarint(cursor))
  if (cursor.pos - start === 10 && (cursor.buf[cursor.pos - 1] ?? 0) > 1) throw new ProtobufError('proto: integer overflow')
  return value
}

/** Reads the next field. Throws ProtobufError if the encoding is malformed. The deprecated groups are. */
function readField(cursor: WireCursor): WireField {
  const tag = readNumber(cursor)
  const number = Number(tag >> 3n)
  const wire = Number(tag & 7n)
  if (number < 1 || number >= 2 ** 29) throw new ProtobufError(`proto: illegal field number ${number}`)
  const held = (bytes: Uint8Array): WireField => ({ number, wire, varint: 0n, bytes })
  switch (wire) {
    case WIRE_VARINT:
      return { number, wire, varint: readNumber(cursor), bytes: NO_BYTES }
    case WIRE_FIXED64:
      return held(readFixed(cursor, 8))
    case WIRE_BYTES:
      return held(readBytes(cursor))
    case WIRE_FIXED32:
      return held(readFixed(cursor, 4))
    default:
      throw new ProtobufError(`proto: illegal wireType ${wire}`)
  }
}

/** Decodes the fields of a message in order. Undefined if it is malformed. */
export function wireFields(bytes: Uint8Array): WireField[] | undefined {
  const cursor = { buf: bytes, pos: 0, len: bytes.length }
  const fields: WireField[] = []
  try {
    while (cursor.pos < cursor.len) fields.push(readField(cursor))
    return fields
  } catch (error) {
    if (error instanceof ProtobufError) return undefined
    throw error
  }
}
