import { type Revision, revision as toRevision } from '../revision.ts'

/** Protobuf's wire format, as far as etcd's messages need it. Numbers are non-negative and below 2^53. Source: https://protobuf.dev/programming-guides/encoding/ */

/** Bytes of a varint. Divisions, as shifts take 32 bits. */
export function varintSize(n: number): number {
  let size = 1
  while (n >= 128) {
    n = Math.floor(n / 128)
    size++
  }
  return size
}

/** Size of a 64-bit id. */
export const bigVarintSize = (n: bigint): number => Math.ceil(n.toString(2).length / 7)

/** Writes into a buffer of the exact size, which the caller has computed. */
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

  /** A number field; zero is left out, as proto3 does. */
  number(field: number, n: number): void {
    if (n === 0) return
    this.varint(field << 3)
    this.varint(n)
  }

  /** A bytes field; an empty one is left out. */
  data(field: number, bytes: Buffer): void {
    if (bytes.length === 0) return
    this.open(field, bytes.length)
    bytes.copy(this.bytes, this.#offset)
    this.#offset += bytes.length
  }

  /** The head of an embedded message of this size; its fields follow. */
  open(field: number, size: number): void {
    this.varint((field << 3) | 2)
    this.varint(size)
  }
}

/** Sizes of a whole field, tag included; 0 where the writer would leave it out. */
export const numberSize = (field: number, n: number): number => (n === 0 ? 0 : varintSize(field << 3) + varintSize(n))
export const messageSize = (field: number, size: number): number => varintSize(field << 3) + varintSize(size) + size
export const dataSize = (field: number, size: number): number => (size === 0 ? 0 : messageSize(field, size))

/** Bytes of a varint of 64 bits. */
const LONGEST_VARINT = 10

/** Fields of a message and of those within it that are read in one part, and at most: these take some milliseconds. */
const FIELDS_PER_PART = 4096
const MAX_FIELDS = 65_536
/** Bytes of the longest text, such as a key. */
const MAX_TEXT_BYTES = 1 << 20

/** Walks a message's fields. After `next`, read the field's value once, by the reader of its type, or `skip` it. */
export class WireReader {
  readonly bytes: Buffer
  #offset: number
  #end: number
  #type = 0
  /** Fields that were read since the last part, of all readers of the message. */
  readonly #read: { fields: number }

  constructor(bytes: Buffer, start = 0, end = bytes.length, read = { fields: 0 }) {
    this.bytes = bytes
    this.#offset = start
    this.#end = end
    this.#read = read
  }

  /** Whether many fields were read since this was true: another part may wait for the next turn. Without it a reader fails at a message of very many fields. */
  endsPart(): boolean {
    if (this.#read.fields < FIELDS_PER_PART) return false
    this.#read.fields = 0
    return true
  }

  /** The next field's number, 0 at the end. */
  next(): number {
    if (this.#offset >= this.#end) return 0
    if (++this.#read.fields > MAX_FIELDS) throw new RangeError('a message has too many fields')
    const tag = this.number()
    this.#type = tag & 7
    return tag >>> 3
  }

  /** A number field that holds a revision of the store. */
  revision(): Revision {
    return toRevision(this.number())
  }

  /** Loses what is beyond 2^53: for ids use `bigNumber`. */
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

  /** Start and end of a bytes field or message. */
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

  /** A view of the bytes. */
  view(): Buffer {
    const [start, end] = this.span()
    return this.bytes.subarray(start, end)
  }

  /** A reader of the embedded message. */
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
