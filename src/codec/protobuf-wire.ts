import type protobuf from 'protobufjs/minimal.js'
import { ProtobufError } from './protobuf-error.ts'
import { WIRE_BYTES, WIRE_FIXED32, WIRE_FIXED64, WIRE_VARINT } from './protobuf-plan.ts'

/**
 * The wire format as code that gogo/protobuf generates reads it, with its errors. protobufjs skips varints that are too long, and has no negative lengths.
 * Source: the Unmarshal functions of generated.pb.go in k8s.io/api
 */
type Reader = protobuf.Reader

/** Go's name of a message, with the names and wire types of its fields. The first field has the number 1. */
export interface WireMessage {
  readonly name: string
  readonly fields: readonly (readonly [name: string, wire: number])[]
}

const WIRE_START_GROUP = 3
const WIRE_END_GROUP = 4
const MAX_INT64 = 2n ** 63n - 1n

const unexpectedEnd = (): ProtobufError => new ProtobufError('unexpected EOF')

/** The number of a field that no message has, for those beyond 28 bits. Go cuts numbers to 32 bits. */
const UNKNOWN = 0x0fff_ffff

/** An unsigned varint; a bigint if it has more than 28 bits. */
export function readVarint(reader: Reader): number | bigint {
  const { buf, len } = reader
  let { pos } = reader
  const first = buf[pos] ?? 0x80
  if (first < 0x80) {
    reader.pos = pos + 1
    return first
  }
  let value = 0
  for (let shift = 0; shift < 28; shift += 7) {
    if (pos >= len) throw unexpectedEnd()
    const byte = buf[pos++] ?? 0
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) {
      reader.pos = pos
      return value
    }
  }
  return readLongVarint(reader)
}

function readLongVarint(reader: Reader): bigint {
  const { buf, len } = reader
  let { pos } = reader
  let value = 0n
  for (let shift = 0n; ; shift += 7n) {
    if (shift >= 64n) throw new ProtobufError('proto: integer overflow')
    if (pos >= len) throw unexpectedEnd()
    const byte = buf[pos++] ?? 0
    value |= BigInt(byte & 0x7f) << shift
    if (byte >= 0x80) continue
    reader.pos = pos
    return BigInt.asUintN(64, value)
  }
}

/** Reads a tag: the number of a field, and its wire type in the lower three bits. `message`: Go's name of the message, or undefined in an entry of a map, whose tags are not validated. */
export function readTag(reader: Reader, message: string | undefined): number {
  const tag = readVarint(reader)
  if (typeof tag === 'bigint') return longTag(tag, message)
  if (message === undefined || (tag > 7 && (tag & 7) !== WIRE_END_GROUP)) return tag
  return refuseTag(tag, message)
}

function longTag(tag: bigint, message: string | undefined): number {
  const wire = Number(tag & 7n)
  const number = Number(BigInt.asIntN(32, tag >> 3n))
  if (message !== undefined && (wire === WIRE_END_GROUP || number <= 0)) return refuseTag(tag, message)
  return ((number > 0 && number < UNKNOWN ? number : UNKNOWN) << 3) | wire
}

function refuseTag(tag: number | bigint, message: string): never {
  const wide = BigInt(tag)
  if ((wide & 7n) === BigInt(WIRE_END_GROUP)) throw new ProtobufError(`proto: ${message}: wiretype end group for non-group`)
  throw new ProtobufError(`proto: ${message}: illegal tag ${BigInt.asIntN(32, wide >> 3n)} (wire type ${tag})`)
}

/** Skips fields that the message does not have, and reads the tag of the next one that it has. Returns its number, or 0 at the end of the message. */
export function nextField(reader: Reader, end: number, { name, fields }: WireMessage): number {
  while (reader.pos < end) {
    const tag = readTag(reader, name)
    const wire = tag & 7
    const number = tag >>> 3
    const field = fields[number - 1]
    if (field !== undefined) {
      expectWire(wire, field[1], field[0])
      return number
    }
    skipField(reader, wire)
  }
  return 0
}

/** Reads the length of a field's content, and returns the offset at which the content ends. */
export function readEnd(reader: Reader): number {
  const length = readVarint(reader)
  const { pos, len } = reader
  if (typeof length === 'bigint') {
    const signed = BigInt.asIntN(64, length)
    if (signed < 0n || signed + BigInt(pos) > MAX_INT64) throw new ProtobufError('proto: negative length found during unmarshaling')
  }
  const end = pos + Number(length)
  if (end > len) throw unexpectedEnd()
  return end
}

/** Reads the bytes of a field, as a view. */
export function readBytes(reader: Reader): Uint8Array {
  const end = readEnd(reader)
  const bytes = reader.buf.subarray(reader.pos, end)
  reader.pos = end
  return bytes
}

/** Skips the content of a field, a group with all that is in it. */
export function skipField(reader: Reader, wire: number): void {
  for (let depth = 0, next = wire; ; next = readTag(reader, undefined) & 7) {
    switch (next) {
      case WIRE_VARINT:
        readVarint(reader)
        break
      case WIRE_FIXED64:
        skipBytes(reader, 8)
        break
      case WIRE_BYTES:
        reader.pos = readEnd(reader)
        break
      case WIRE_START_GROUP:
        depth++
        break
      case WIRE_END_GROUP:
        if (depth-- === 0) throw new ProtobufError('proto: unexpected end of group')
        break
      case WIRE_FIXED32:
        skipBytes(reader, 4)
        break
      default:
        throw new ProtobufError(`proto: illegal wireType ${next}`)
    }
    if (depth === 0) return
  }
}

function skipBytes(reader: Reader, count: number): void {
  if (reader.pos + count > reader.len) throw unexpectedEnd()
  reader.pos += count
}

/** Throws a ProtobufError for another wire type than the wanted one. `what`: Go's name of the field. */
export function expectWire(wire: number, wanted: number, what: string): void {
  if (wire !== wanted) throw new ProtobufError(`proto: wrong wireType = ${wire} for field ${what}`)
}
