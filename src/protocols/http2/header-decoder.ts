import { isStepDone, type Steps } from '../../lib/steps.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { isField } from './field-checks.ts'
import { decodeHuffman, decodeHuffmanInSteps } from './huffman.ts'
import { HOPELESS_HEADERS } from './limits.ts'
import { STATIC_TABLE } from './static-table.ts'

/** Default size of the dynamic table, in bytes. */
export const TABLE_BYTES = 4096
/** Overhead of a table entry (RFC 7541, section 4.1). */
const ENTRY_BYTES = 32

/** A field of the static or dynamic table, or of a literal. */
interface HeaderEntry {
  readonly name: string
  readonly value: string
  /** Size as HPACK counts it, overhead included. */
  readonly bytes: number
  /** Whether the field is valid in an HTTP/2 message. Unset until it is first used. */
  isAllowed?: boolean
}

/** Block between two calls. */
const NOTHING: Buffer = Buffer.alloc(0)

const entryBytes = (name: string, value: string): number => name.length + value.length + ENTRY_BYTES
const entryOf = (name: string, value: string): HeaderEntry => ({ name, value, bytes: entryBytes(name, value) })

/** Entries of the static table. The index of the first one is 1. */
const STATIC: readonly HeaderEntry[] = STATIC_TABLE.map(([name, value]) => ({ ...entryOf(name, value), isAllowed: isField(name, value) }))

/**
 * Limit for size updates at the start of a block: to the smallest size since the last block, and to the current one
 * (section 4.2).
 */
const MAX_RESIZES = 2

const malformed = (what: string): ConnectionError => new ConnectionError(ErrorCode.compression, what)

/** Decoded fields of a header block. Names and values alternate. */
export interface DecodedHeaders {
  /** Names and values alternate. */
  readonly fields: string[]
  /** Whether a limit was exceeded. `fields` then has the first fields. */
  readonly tooLarge: boolean
  /** Whether any of `fields` is invalid in HTTP/2. */
  readonly isMalformed: boolean
}

/** State of a block that is being decoded. */
interface Reading extends DecodedHeaders {
  tooLarge: boolean
  isMalformed: boolean
  /** Size of the header list so far, skipped fields included. */
  bytes: number
  /** Fields so far, skipped fields included. */
  count: number
  /** Size updates so far. */
  resizes: number
}

/** Throws a ConnectionError if the text was no valid Huffman code. */
function coded(text: string | undefined): string {
  if (text === undefined) throw malformed('a text is not in the Huffman code')
  return text
}

/** Decodes the header blocks of one connection in order (HPACK, RFC 7541). */
export class HeaderDecoder {
  readonly #maxBytes: number
  readonly #maxFields: number
  readonly #allows: typeof isField
  /** Dynamic table, newest entry last. */
  #dynamic: HeaderEntry[] = []
  #size = 0
  readonly #mostCapacity: number
  #capacity: number
  /**
   * The block that is being decoded. It is released afterwards, because it can have a megabyte and the connection can
   * then be idle for long.
   */
  #block = NOTHING
  #at = 0

  /**
   * @param maxBytes limit for the size of a header list as HPACK defines it.
   * @param maxFields limit for the fields of a header list.
   * @param tableBytes table size that the encoder may use. With 0, blocks do not depend on each other.
   * @param allows checks a field. It is called once per table entry, because a block of 320 bytes can refer to an entry
   * until the header list has a megabyte.
   */
  constructor(maxBytes: number, maxFields: number, tableBytes = TABLE_BYTES, allows = isField) {
    this.#maxBytes = maxBytes
    this.#maxFields = maxFields
    this.#allows = allows
    this.#mostCapacity = tableBytes
    this.#capacity = tableBytes
  }

  /** Decodes a block. Throws a ConnectionError if it is malformed, after which no later block can be decoded. */
  decode(block: Buffer): DecodedHeaders {
    const reading = this.#begin(block)
    for (let first = this.#nextField(reading); first !== undefined; first = this.#nextField(reading))
      this.#take(reading, this.#field(first))
    this.#block = NOTHING
    return reading
  }

  /** Decodes a long block in steps. No other block of the connection may be decoded meanwhile. */
  *decodeInSteps(block: Buffer): Steps<DecodedHeaders> {
    const reading = this.#begin(block)
    for (let first = this.#nextField(reading); first !== undefined; first = this.#nextField(reading)) {
      if (isStepDone()) yield
      this.#take(reading, yield* this.#longField(first))
    }
    this.#block = NOTHING
    return reading
  }

  /** Starts a block. The dynamic table continues from the block before. */
  #begin(block: Buffer): Reading {
    this.#block = block
    this.#at = 0
    return { fields: [], tooLarge: false, isMalformed: false, bytes: 0, count: 0, resizes: 0 }
  }

  /** Returns the first byte of the next field, after size updates. Undefined at the end of the block. */
  #nextField(reading: Reading): number | undefined {
    for (; this.#at < this.#block.length; this.#resize(this.#integer(5))) {
      const first = this.#block.readUInt8(this.#at)
      if ((first & 0xe0) !== 0x20) return first
      if (reading.count > 0) throw malformed('a change of the table is not at the beginning of its block')
      if (++reading.resizes > MAX_RESIZES) throw malformed('a block changes the table more than twice')
    }
    return undefined
  }

  /** Adds a field. Fields beyond a limit are decoded, since they may change the table, but not kept. */
  #take(reading: Reading, entry: HeaderEntry): void {
    reading.bytes += entry.bytes
    reading.count++
    if (reading.bytes > HOPELESS_HEADERS * this.#maxBytes)
      throw new ConnectionError(ErrorCode.calm, 'there are more headers than are taken')
    if (reading.bytes > this.#maxBytes || reading.count > this.#maxFields) {
      reading.tooLarge = true
      return
    }
    entry.isAllowed ??= this.#allows(entry.name, entry.value)
    if (!entry.isAllowed) reading.isMalformed = true
    reading.fields.push(entry.name, entry.value)
  }

  /** Reads a field by its representation (section 6). Literals of any form may name their field by an index. */
  #field(first: number): HeaderEntry {
    if (first >= 0x80) return this.#entry(this.#integer(7))
    const index = this.#integer(first >= 0x40 ? 6 : 4)
    const name = index === 0 ? this.#text() : this.#entry(index).name
    return this.#noted(first, entryOf(name, this.#text()))
  }

  /** Reads a field like `#field`, with strings in steps. */
  *#longField(first: number): Steps<HeaderEntry> {
    if (first >= 0x80) return this.#entry(this.#integer(7))
    const index = this.#integer(first >= 0x40 ? 6 : 4)
    const name = index === 0 ? yield* this.#longText() : this.#entry(index).name
    return this.#noted(first, entryOf(name, yield* this.#longText()))
  }

  /** Adds a literal with incremental indexing to the table (section 6.2.1). */
  #noted(first: number, entry: HeaderEntry): HeaderEntry {
    if (first >= 0x40) this.#add(entry)
    return entry
  }

  /** Returns an entry by its index: first those of the static table, then the dynamic ones from the newest on. */
  #entry(index: number): HeaderEntry {
    const found = index <= STATIC.length ? STATIC[index - 1] : this.#dynamic[this.#dynamic.length - (index - STATIC.length)]
    if (found === undefined) throw malformed(`no field has the index ${index}`)
    return found
  }

  /** Adds an entry. One that is larger than the table empties it, which is no error (section 4.4). */
  #add(entry: HeaderEntry): void {
    this.#dynamic.push(entry)
    this.#size += entry.bytes
    this.#evict()
  }

  /** Applies a size update. Throws if it exceeds the size that the settings allow. */
  #resize(capacity: number): void {
    if (capacity > this.#mostCapacity) throw malformed('the table would be larger than was allowed')
    this.#capacity = capacity
    this.#evict()
  }

  /** Removes the oldest entries until the rest fits. */
  #evict(): void {
    let gone = 0
    for (const { bytes } of this.#dynamic) {
      if (this.#size <= this.#capacity) break
      this.#size -= bytes
      gone++
    }
    if (gone > 0) this.#dynamic.splice(0, gone)
  }

  /** Reads an integer with a prefix of `bits` bits (section 5.1). */
  #integer(bits: number): number {
    const most = (1 << bits) - 1
    let value = this.#byte() & most
    if (value < most) return value
    for (let shift = 0; ; shift += 7) {
      const byte = this.#byte()
      // No valid integer here is longer. An endless one could block the event loop.
      if (shift > 21) throw malformed('an integer is too long')
      value += (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }

  #text(): string {
    const { huffman, from, to } = this.#bounds()
    return huffman ? coded(decodeHuffman(this.#block, from, to)) : this.#block.toString('latin1', from, to)
  }

  *#longText(): Steps<string> {
    const { huffman, from, to } = this.#bounds()
    return huffman ? coded(yield* decodeHuffmanInSteps(this.#block, from, to)) : this.#block.toString('latin1', from, to)
  }

  /** Returns the range of the string at the cursor, and moves the cursor after it. */
  #bounds(): { readonly huffman: boolean; readonly from: number; readonly to: number } {
    const huffman = ((this.#block[this.#at] ?? 0) & 0x80) !== 0
    const length = this.#integer(7)
    const from = this.#at
    const to = from + length
    if (to > this.#block.length) throw malformed('a text ends after its block')
    this.#at = to
    return { huffman, from, to }
  }

  #byte(): number {
    const byte = this.#block[this.#at++]
    if (byte === undefined) throw malformed('the block breaks off')
    return byte
  }
}
