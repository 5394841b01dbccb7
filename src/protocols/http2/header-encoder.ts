import { eachField } from '../../lib/raw-fields.ts'
import { STATIC_TABLE } from './static-table.ts'

/**
 * Encodes header blocks (HPACK, RFC 7541). The dynamic table is not used: writing a few headers is cheaper than looking
 * them up, and blocks then do not depend on their order.
 */

const indexes = new Map<string, number>()
for (const [index, [name, value]] of STATIC_TABLE.entries()) {
  if (!indexes.has(name)) indexes.set(name, index + 1)
  if (value !== '') indexes.set(`${name} ${value}`, index + 1)
}

/**
 * A size update to 0, in the first block of a connection. With an empty table, later size limits of the client need no
 * update.
 */
export const TABLE_GIVEN_UP = 0x20

const INVALID_VALUE = /[^\t\x20-\x7e\x80-\xff]/
const INVALID_NAME = /[^!#$%&'*+.^_`|~0-9A-Za-z-]/

/** Throws a TypeError if a header has an invalid character. */
export function checkField(name: string, value: string): void {
  if (name === '' || INVALID_NAME.test(name) || INVALID_VALUE.test(value))
    throw new TypeError(`the header ${JSON.stringify(name)} has a character that can't be sent`)
}

const lowered = new Map<string, string>()

/** Returns a name in lower case. Cached, because the same few names are sent repeatedly. */
function lowerOf(name: string): string {
  let lower = lowered.get(name)
  if (lower === undefined) {
    lower = name.toLowerCase()
    if (lowered.size < 256) lowered.set(name, lower)
  }
  return lower
}

/** Maximum number of bytes of a string with its length. */
const roomFor = (text: string): number => text.length + 5

/** Encodes header blocks into a buffer that is reused by the next call. */
export class HeaderEncoder {
  #out: Buffer
  #at = 0
  #dateSecond = 0
  #dateText = ''

  /** @param bytes initial size of the buffer, which grows with the longest block. */
  constructor(bytes = 8 * 1024) {
    this.#out = Buffer.allocUnsafeSlow(bytes)
  }

  /**
   * Encodes a request, or another block that is encoded once. Names are in lower case; fields of the static table are
   * indexed. The result is valid until the next call.
   */
  fields(fields: readonly string[]): Buffer {
    this.#at = 0
    eachField(fields, (name, value) => {
      const index = value === '' ? undefined : indexes.get(`${name} ${value}`)
      if (index === undefined) this.#writeField(name, value)
      else {
        this.#reserve(1)
        this.#out[this.#at++] = 0x80 | index
      }
    })
    return this.#out.subarray(0, this.#at)
  }

  /**
   * Encodes a response and adds its date. Names may have any case; values have one byte per character. The result is
   * valid until the next call. Throws a TypeError if a header is invalid.
   */
  answer(status: number, headers: readonly string[], first: boolean): Buffer {
    this.#at = 0
    if (first) this.#out[this.#at++] = TABLE_GIVEN_UP
    this.#writeStatus(status)
    if (status >= 200) this.#writeField('date', this.#date())
    eachField(headers, this.#writeHeader)
    return this.#out.subarray(0, this.#at)
  }

  readonly #writeHeader = (name: string, value: string): void => {
    checkField(name, value)
    this.#writeField(lowerOf(name), value)
  }

  /** Returns the current date, to the second. */
  #date(): string {
    const second = Math.floor(Date.now() / 1000)
    if (second !== this.#dateSecond) {
      this.#dateSecond = second
      this.#dateText = new Date(second * 1000).toUTCString()
    }
    return this.#dateText
  }

  #writeStatus(status: number): void {
    const index = indexes.get(`:status ${status}`)
    if (index === undefined) this.#writeField(':status', String(status))
    else this.#out[this.#at++] = 0x80 | index
  }

  /** Writes a literal field without indexing. */
  #writeField(name: string, value: string): void {
    this.#reserve(5)
    const index = indexes.get(name)
    if (index === undefined) {
      this.#out[this.#at++] = 0
      this.#writeText(name)
    } else this.#writeInteger(index, 4)
    this.#writeText(value)
  }

  #writeText(text: string): void {
    this.#reserve(roomFor(text))
    this.#writeInteger(text.length, 7)
    this.#at += this.#out.write(text, this.#at, 'latin1')
  }

  #writeInteger(value: number, bits: number): void {
    const most = (1 << bits) - 1
    if (value < most) {
      this.#out[this.#at++] = value
      return
    }
    this.#out[this.#at++] = most
    let rest = value - most
    for (; rest >= 0x80; rest >>>= 7) this.#out[this.#at++] = (rest & 0x7f) | 0x80
    this.#out[this.#at++] = rest
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#out.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (this.#at + bytes))
    this.#out.copy(larger, 0, 0, this.#at)
    this.#out = larger
  }
}
