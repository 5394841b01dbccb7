import protobuf from 'protobufjs/minimal.js'
import { ProtobufError } from './protobuf-error.ts'
import { readBytes, readTag, readVarint, skipField, WIRE_BYTES, WIRE_VARINT } from './protobuf-wire.ts'

const NOTHING = Buffer.alloc(0)
/** Limit for the fields of a message. Each takes a microsecond, and a message of 100 KiB can have 50,000. */
const MAX_FIELDS = 1024

/**
 * Fields of a small message by number (https://protobuf.dev/programming-guides/encoding). If a field occurs more than
 * once, the last value is returned; if it is absent, an empty value or 0.
 */
export interface MessageFields {
  /** Returns a view of the message. */
  bytes(field: number): Buffer
  text(field: number): string
  /** Returns a varint. Exact up to 2^53. */
  number(field: number): number
  /** Returns a varint of 64 bits. */
  integer(field: number): bigint
  /** Returns all values of a repeated field. */
  all(field: number): readonly Buffer[]
}

/**
 * Decodes strings, bytes, messages and varints; other wire types are skipped. Throws ProtobufError if the message is
 * malformed or has too many fields.
 */
export function fieldsOf(message: Uint8Array): MessageFields {
  const reader = protobuf.Reader.create(message)
  const parts = new Map<number, Buffer[]>()
  const numbers = new Map<number, bigint>()
  for (let count = 1; reader.pos < reader.len; count++) {
    if (count > MAX_FIELDS) throw new ProtobufError('there are too many fields')
    const tag = readTag(reader, undefined)
    const field = tag >>> 3
    if ((tag & 7) === WIRE_BYTES) {
      const values = parts.get(field)
      const value = bufferOf(readBytes(reader))
      if (values) values.push(value)
      else parts.set(field, [value])
    } else if ((tag & 7) === WIRE_VARINT) numbers.set(field, BigInt.asIntN(64, BigInt(readVarint(reader))))
    else skipField(reader, tag & 7)
  }
  const all = (field: number): readonly Buffer[] => parts.get(field) ?? []
  const bytes = (field: number): Buffer => all(field).at(-1) ?? NOTHING
  const integer = (field: number): bigint => numbers.get(field) ?? 0n
  return { all, bytes, integer, text: field => bytes(field).toString(), number: field => Number(integer(field)) }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
