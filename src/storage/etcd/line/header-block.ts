import { FrameError } from './frames.ts'
import { decodeHuffman } from './huffman.ts'

/**
 * Header blocks of HTTP/2, without the dynamic table: this side asks the other for none and uses none, so that each block stands for itself. Source: RFC 7541.
 */

/** The entries of the static table for `:status`, from 8 on; the 61 entries of the table have no other name that is of interest. */
const STATUSES = ['200', '204', '206', '304', '400', '404', '500']
const FIRST_STATUS = 8
const STATIC_ENTRIES = 61

/** Entries of the static table that a request begins with. */
export const INDEXED = { POST: 0x83, HTTP: 0x86, HTTPS: 0x87 } as const
export const NAME = { AUTHORITY: 1, PATH: 4, USER_AGENT: 58 } as const

/** A header with a name of the static table, or with one of its own. Text is ASCII. */
export function literal(name: number | string, value: string): Buffer {
  const head = typeof name === 'number' ? integer(0, 4, name) : Buffer.concat([Buffer.from([0]), text(name)])
  return Buffer.concat([head, text(value)])
}

function text(value: string): Buffer {
  return Buffer.concat([integer(0, 7, value.length), Buffer.from(value, 'latin1')])
}

/** A number behind the first bits of a byte, of which `bits` are its own. */
function integer(first: number, bits: number, value: number): Buffer {
  const most = (1 << bits) - 1
  if (value < most) return Buffer.from([first | value])
  const out = [first | most]
  let rest = value - most
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.push((rest % 128) | 128)
  return Buffer.from([...out, rest])
}

/** The headers of a block: `:status`, and all whose names are written out. Throws FrameError where it is malformed or uses a dynamic table. */
export function readHeaders(block: Buffer): ReadonlyMap<string, string> {
  const reader = new BlockReader(block)
  const headers = new Map<string, string>()
  while (reader.more) {
    const first = reader.first
    if (first >= 128) {
      const index = staticIndex(reader.integer(7))
      const status = STATUSES[index - FIRST_STATUS]
      if (status !== undefined) headers.set(':status', status)
      continue
    }
    if (first >= 32 && first < 64) {
      // A new size of the dynamic table: there is none.
      reader.integer(5)
      continue
    }
    const index = reader.integer(first >= 64 ? 6 : 4)
    const name = index === 0 ? reader.text() : nameOf(staticIndex(index))
    const value = reader.text()
    if (name !== undefined) headers.set(name, value)
  }
  return headers
}

function staticIndex(index: number): number {
  if (index < 1 || index > STATIC_ENTRIES) throw new FrameError(`header ${index} of a table that is empty`)
  return index
}

const nameOf = (index: number): string | undefined => (index >= FIRST_STATUS && index < FIRST_STATUS + STATUSES.length ? ':status' : undefined)

class BlockReader {
  readonly #block: Buffer
  #at = 0

  constructor(block: Buffer) {
    this.#block = block
  }

  get more(): boolean {
    return this.#at < this.#block.length
  }

  get first(): number {
    return this.#block[this.#at] ?? 0
  }

  #byte(): number {
    const byte = this.#block[this.#at++]
    if (byte === undefined) throw new FrameError('a header block ends within a header')
    return byte
  }

  integer(bits: number): number {
    const most = (1 << bits) - 1
    let value = this.#byte() & most
    if (value < most) return value
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte()
      value += (byte & 127) * factor
      if (value > 1 << 20) throw new FrameError('a number in a header block is too large')
      if (byte < 128) return value
    }
  }

  text(): string {
    const coded = this.first >= 128
    const length = this.integer(7)
    const end = this.#at + length
    if (end > this.#block.length) throw new FrameError('a header block ends within a header')
    const bytes = this.#block.subarray(this.#at, end)
    this.#at = end
    if (!coded) return bytes.toString('latin1')
    try {
      return decodeHuffman(bytes)
    } catch (error) {
      throw new FrameError((error as Error).message)
    }
  }
}
