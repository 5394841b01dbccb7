import { type Revision, revision as toRevision } from '../revision.ts'

/** Reader and writer of Protobuf's wire format, as far as etcd's messages need it. Numbers are non-negative and below 2^53. Source: https://protobuf.dev/programming-guides/encoding/ */

/** Returns the size of a varint in bytes. It divides, because shifts are limited to 32 bits. */
export function varintSize(n: number): number {
  let size = 1
  while (n >= 128) {
    n = Math.floor(n / 128)
    size++
  }
  return size
}

/** Returns the size of a 64-bit varint in bytes. */
export const bigVarintSize = (n: bigint): number => Math.ceil(n.toString(2).length / 7)

/** Writes into a buffer of the exact size, which the caller computes. */
export class WireWriter {
  readonly bytes: Buffer
  #offset = 0

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size)
  }

  varint(n: number): void {
    let rest = n
    while (rest >= 128) {
      this.bytes[this.#offset++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    this.bytes[this.#offset++] = rest
  }

  bigVarint(n: bigint): void {
    let rest = n
    while (rest >= 128n) {
      this.bytes[this.#offset++] = Number(rest & 127n) | 128
      rest >>= 7n
    }
    this.bytes[this.#offset++] = Number(rest)
  }

  /** Writes a number field. Zero is omitted, as in proto3. */
  number(field: number, n: number): void {
    if (n === 0) return
    this.varint(field << 3)
    this.varint(n)
  }

  /** Writes a bytes field. An empty one is omitted. */
  data(field: number, bytes: Buffer): void {
    if (bytes.length === 0) return
    this.open(field, bytes.length)
    bytes.copy(this.bytes, this.#offset)
    this.#offset += bytes.length
  }

  /** Writes the head of an embedded message of the given size. Its fields follow. */
  open(field: number, size: number): void {
    this.varint((field << 3) | 2)
    this.varint(size)
  }
}

/** Sizes of whole fields including the tag, in bytes. 0 if the writer omits the field. */
export const numberSize = (field: number, n: number): number => (n === 0 ? 0 : varintSize(field << 3) + varintSize(n))
export const messageSize = (field: number, size: number): number => varintSize(field << 3) + varintSize(size) + size
export const dataSize = (field: number, size: number): number => (size === 0 ? 0 : messageSize(field, size))

/** Longest varint, in bytes: 64 bits. */
const LONGEST_VARINT = 10

/** Fields of a message and its embedded messages that are read in one part, and in total without parts. Reading a maximum takes some milliseconds. */
const FIELDS_PER_PART = 4096
const MAX_FIELDS = 65_536
/** Longest text, such as a key, in bytes. */
const MAX_TEXT_BYTES = 1 << 20

/** Iterates over the fields of a message. After `next`, read the value once with the method of its type, or `skip` it. */
export class WireReader {
  readonly bytes: Buffer
  #offset: number
  #end: number
  #type = 0
  /** Fields read since the last part. Shared by all readers of the message. */
  readonly #read: { fields: number }

  constructor(bytes: Buffer, start = 0, end = bytes.length, read = { fields: 0 }) {
    this.bytes = bytes
    this.#offset = start
    this.#end = end
    this.#read = read
  }

  /** Reports whether enough fields were read since the last part to end the turn. A reader that is never asked fails at a message with too many fields. */
  endsPart(): boolean {
    if (this.#read.fields < FIELDS_PER_PART) return false
    this.#read.fields = 0
    return true
  }

  /** Returns the number of the next field; 0 at the end. */
  next(): number {
    if (this.#offset >= this.#end) return 0
    if (++this.#read.fields > MAX_FIELDS) throw new RangeError('a message has too many fields')
    const tag = this.number()
    this.#type = tag & 7
    return tag >>> 3
  }

  /** Reads a number field that holds a revision. */
  revision(): Revision {
    return toRevision(this.number())
  }

  /** Reads a number field. It loses precision beyond 2^53: for ids use `bigNumber`. */
  number(): number {
    let byte = this.#byte()
    if (byte < 128) return byte
    let n = byte & 127
    let factor = 128
    for (let bytes = 1; ; bytes++) {
      if (bytes === LONGEST_VARINT) throw new RangeError('a number is too long')
      byte = this.#byte()
      n += (byte & 127) * factor
      factor *= 128
      if (byte < 128) return n
    }
  }

  #byte(): number {
    const byte = this.bytes[this.#offset++]
    if (byte === undefined) throw new RangeError('a number ends beyond its message')
    return byte
  }

  bigNumber(): bigint {
    let n = 0n
    for (let shift = 0n; ; shift += 7n) {
      if (shift === 7n * BigInt(LONGEST_VARINT)) throw new RangeError('a number is too long')
      const byte = this.#byte()
      n |= BigInt(byte & 127) << shift
      if (byte < 128) return n
    }
  }

  /** Reads a bytes field or message, and returns its start and end. */
  span(): [start: number, end: number] {
    const size = this.number()
    const start = this.#offset
    this.#offset += size
    if (this.#offset > this.#end) throw new RangeError('a field ends beyond its message')
    return [start, this.#offset]
  }

  text(): string {
    const [start, end] = this.span()
    if (end - start > MAX_TEXT_BYTES) throw new RangeError('a text is too long')
    return this.bytes.toString('utf8', start, end)
  }

  /** Reads a bytes field as a view of the message's bytes. */
  view(): Buffer {
    const [start, end] = this.span()
    return this.bytes.subarray(start, end)
  }

  /** Returns a reader of the embedded message. */
  message(): WireReader {
    const [start, end] = this.span()
    return new WireReader(this.bytes, start, end, this.#read)
  }

  skip(): void {
    switch (this.#type) {
      case 0:
        this.number()
        break
      case 1:
        this.#offset += 8
        break
      case 2:
        this.span()
        break
      case 5:
        this.#offset += 4
        break
      default:
        throw new RangeError(`unknown wire type ${this.#type}`)
    }
  }
}
