import { readEnd, readTag, readVarint, skipField, type WireCursor } from '../../lib/protobuf-wire.ts'
import { type Revision, revision as toRevision } from '../revision.ts'

/**
 * Fields of a message and its embedded messages that are read in one part, and in total without parts. Reading a
 * maximum takes some milliseconds.
 */
const FIELDS_PER_PART = 4096
const MAX_FIELDS = 65_536
/** Longest text, such as a key, in bytes. */
const MAX_TEXT_BYTES = 1 << 20

/**
 * Iterates over the fields of a message of etcd. After `next`, read the value once with the method of its type, or
 * `skip` it. Methods throw a ProtobufError if the message is malformed, and a RangeError if it exceeds a limit.
 */
export class WireReader implements WireCursor {
  /** The whole message, of which this reader covers a part. */
  readonly buf: Buffer
  /** Offset of the next byte to read. */
  pos: number
  /** Offset at which the part ends. */
  readonly len: number
  #wire = 0
  /** Fields read since the last part. Shared by all readers of the message. */
  readonly #read: { fields: number }

  constructor(bytes: Buffer, start = 0, end = bytes.length, read = { fields: 0 }) {
    this.buf = bytes
    this.pos = start
    this.len = end
    this.#read = read
  }

  /**
   * Reports whether enough fields were read since the last part to end the turn. A reader that is never asked fails at
   * a message with too many fields.
   */
  endsPart(): boolean {
    if (this.#read.fields < FIELDS_PER_PART) return false
    this.#read.fields = 0
    return true
  }

  /** Returns the number of the next field; 0 at the end. */
  next(): number {
    if (this.pos >= this.len) return 0
    if (++this.#read.fields > MAX_FIELDS) throw new RangeError('a message has too many fields')
    const tag = readTag(this, undefined)
    this.#wire = tag & 7
    return tag >>> 3
  }

  /** Reads a number field that holds a revision. */
  revision(): Revision {
    return toRevision(this.number())
  }

  /** Reads a number field. It loses precision beyond 2^53: for ids use `bigNumber`. */
  number(): number {
    return Number(readVarint(this))
  }

  /** Reads a number field without loss. */
  bigNumber(): bigint {
    return BigInt(readVarint(this))
  }

  /** Reads a string field. Invalid UTF-8 becomes U+FFFD. */
  text(): string {
    const end = readEnd(this)
    const start = this.pos
    if (end - start > MAX_TEXT_BYTES) throw new RangeError('a text is too long')
    this.pos = end
    return this.buf.toString('utf8', start, end)
  }

  /** Reads a bytes field as a view of the message's bytes. */
  view(): Buffer {
    const end = readEnd(this)
    const start = this.pos
    this.pos = end
    return this.buf.subarray(start, end)
  }

  /** Reads the length of a bytes field, which begins at `pos` then. Returns the offset of its end. */
  end(): number {
    return readEnd(this)
  }

  /** Returns a reader of the embedded message. */
  message(): WireReader {
    const end = readEnd(this)
    const start = this.pos
    this.pos = end
    return new WireReader(this.buf, start, end, this.#read)
  }

  /** Skips the value of the field that `next` has found. */
  skip(): void {
    skipField(this, this.#wire)
  }
}
