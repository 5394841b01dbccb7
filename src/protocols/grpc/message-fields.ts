import protobuf from 'protobufjs/minimal.js'

const NOTHING = Buffer.alloc(0)
const VARINT = 0
const BYTES = 2
/** A message with more fields is rejected: each takes a microsecond, and a message of 100 KiB may have 50,000. */
const MAX_FIELDS = 1024

/** The fields of a small message by their numbers, as https://protobuf.dev/programming-guides/encoding has them. Of several values the last counts; what is absent is empty or 0. */
export interface MessageFields {
  /** Shares the memory of the message. */
  bytes(field: number): Buffer
  text(field: number): string
  /** Exact to 2^53. */
  number(field: number): number
  /** Each value of a repeated field. */
  all(field: number): readonly Buffer[]
}

/** Fields of other wire types than strings, bytes, messages and varints are skipped. Throws an Error if the bytes are not a message, or have too many fields. */
export function fieldsOf(message: Uint8Array): MessageFields {
  const reader = protobuf.Reader.create(message)
  const parts = new Map<number, Buffer[]>()
  const numbers = new Map<number, number>()
  for (let count = 1; reader.pos < reader.len; count++) {
    if (count > MAX_FIELDS) throw new Error('there are too many fields')
    const tag = reader.uint32()
    const field = tag >>> 3
    if ((tag & 7) === BYTES) {
      const values = parts.get(field)
      const value = bufferOf(reader.bytes())
      if (values) values.push(value)
      else parts.set(field, [value])
    } else if ((tag & 7) === VARINT) numbers.set(field, Number(reader.int64()))
    else reader.skipType(tag & 7)
  }
  const all = (field: number): readonly Buffer[] => parts.get(field) ?? []
  const bytes = (field: number): Buffer => all(field).at(-1) ?? NOTHING
  return { all, bytes, text: field => bytes(field).toString(), number: field => numbers.get(field) ?? 0 }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
