import { ConnectionError, ErrorCode } from './errors.ts'
import { decodeHuffman } from './huffman.ts'
import { HOPELESS_HEADERS } from './limits.ts'
import { STATIC_TABLE } from './static-table.ts'

/** Bytes of the dynamic table, unless the two sides agree on others. */
export const TABLE_BYTES = 4096
/** What an entry counts beside its text (RFC 7541, section 4.1). */
const ENTRY_BYTES = 32

interface Entry {
  readonly name: string
  readonly value: string
  readonly bytes: number
}

const bytesOf = (name: string, value: string): number => name.length + value.length + ENTRY_BYTES
const entryOf = (name: string, value: string): Entry => ({ name, value, bytes: bytesOf(name, value) })

const STATIC = STATIC_TABLE.map(([name, value]) => entryOf(name, value))

const malformed = (what: string): ConnectionError => new ConnectionError(ErrorCode.compression, what)

/** Fields of a header block: names and values in turn. */
export interface DecodedHeaders {
  readonly fields: string[]
  /** There were more of them, or longer ones, than are taken: `fields` has the first. */
  readonly tooLarge: boolean
}

/** Decodes the header blocks of one connection, in their order (HPACK, RFC 7541). */
export class HeaderDecoder {
  private readonly maxBytes: number
  private readonly maxFields: number
  /** Newest last. */
  private dynamic: Entry[] = []
  private size = 0
  private readonly mostCapacity: number
  private capacity: number
  private block: Buffer = Buffer.alloc(0)
  private at = 0

  /** Of one block: bytes as HPACK counts them, and fields. `tableBytes`: what the other side was allowed; with 0 each block stands for itself. */
  constructor(maxBytes: number, maxFields: number, tableBytes = TABLE_BYTES) {
    this.maxBytes = maxBytes
    this.maxFields = maxFields
    this.mostCapacity = tableBytes
    this.capacity = tableBytes
  }

  /** Throws a ConnectionError where the block is none: what follows could not be understood either. */
  decode(block: Buffer): DecodedHeaders {
    this.block = block
    this.at = 0
    const fields: string[] = []
    let bytes = 0
    let count = 0
    let tooLarge = false
    for (let begun = false; this.at < block.length; ) {
      const first = block[this.at] as number
      if ((first & 0xe0) === 0x20) {
        if (begun) throw malformed('a change of the table is not at the beginning of its block')
        this.resize(this.integer(5))
        continue
      }
      begun = true
      const { name, value, bytes: size } = this.field(first)
      bytes += size
      count++
      if (bytes > HOPELESS_HEADERS * this.maxBytes) throw new ConnectionError(ErrorCode.calm, 'there are more headers than are taken')
      if (bytes > this.maxBytes || count > this.maxFields) tooLarge = true
      else fields.push(name, value)
    }
    return { fields, tooLarge }
  }

  private field(first: number): Entry {
    if (first >= 0x80) return this.entry(this.integer(7))
    const indexed = first >= 0x40
    const index = this.integer(indexed ? 6 : 4)
    const name = index === 0 ? this.text() : this.entry(index).name
    const entry = entryOf(name, this.text())
    if (indexed) this.add(entry)
    return entry
  }

  private entry(index: number): Entry {
    const found = index <= STATIC.length ? STATIC[index - 1] : this.dynamic[this.dynamic.length - (index - STATIC.length)]
    if (found === undefined) throw malformed(`no field has the index ${index}`)
    return found
  }

  private add(entry: Entry): void {
    this.dynamic.push(entry)
    this.size += entry.bytes
    this.evict()
  }

  private resize(capacity: number): void {
    if (capacity > this.mostCapacity) throw malformed('the table would be larger than was allowed')
    this.capacity = capacity
    this.evict()
  }

  private evict(): void {
    let gone = 0
    while (this.size > this.capacity) this.size -= (this.dynamic[gone++] as Entry).bytes
    if (gone > 0) this.dynamic.splice(0, gone)
  }

  /** An integer that begins with the lower bits of the next byte (section 5.1). */
  private integer(bits: number): number {
    const most = (1 << bits) - 1
    let value = this.byte() & most
    if (value < most) return value
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte()
      // Nothing here is as long as that; a number that goes on could hold the loop.
      if (shift > 21) throw malformed('an integer is too long')
      value += (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }

  private text(): string {
    const huffman = ((this.block[this.at] ?? 0) & 0x80) !== 0
    const length = this.integer(7)
    const from = this.at
    const to = from + length
    if (to > this.block.length) throw malformed('a text ends after its block')
    this.at = to
    if (!huffman) return this.block.toString('latin1', from, to)
    const text = decodeHuffman(this.block, from, to)
    if (text === undefined) throw malformed('a text is not in the Huffman code')
    return text
  }

  private byte(): number {
    const byte = this.block[this.at++]
    if (byte === undefined) throw malformed('the block breaks off')
    return byte
  }
}
