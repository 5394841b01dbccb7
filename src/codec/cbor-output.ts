import { toFloat16 } from './float16.ts'

/** Initial bytes of encoded items, with the major type in the upper three bits (RFC 8949, section 3). */
const UINT = 0x00
const NINT = 0x20
const BYTES = 0x40
export const ARRAY = 0x80
export const MAP = 0xa0
/** Tag 22: the following bytes are to be encoded as base64 in JSON. */
const BASE64_TAG = 0xd6
const FALSE = 0xf4
const TRUE = 0xf5
const NULL = 0xf6

/** Initial capacity in bytes. Most objects fit; a larger one doubles it until it fits. */
const INITIAL_BYTES = 64 * 1024
/** Capacity in bytes above which the buffer is not reused for the next object. */
const MOST_KEPT = 4 * 1024 * 1024
/** Maximum size of a head in bytes. */
const MOST_HEAD = 9
/** Shorter strings have their length in the initial byte. */
const SHORT = 24

/** A growing buffer of encoded bytes. Numbers have their shortest form (RFC 8949, section 4.2.1). */
export class CborOutput {
  #target = Buffer.allocUnsafeSlow(INITIAL_BYTES)
  #at = 0

  /** Returns a copy of the bytes written and resets the buffer. */
  take(): Buffer {
    const taken = Buffer.from(this.#target.subarray(0, this.#at))
    this.#at = 0
    return taken
  }

  /** Whether the buffer is small enough to be kept for the next object. */
  get isReusable(): boolean {
    return this.#target.length <= MOST_KEPT
  }

  /** Ensures capacity for this many more bytes. */
  #room(bytes: number): void {
    if (this.#target.length - this.#at >= bytes) return
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#target.length, this.#at + bytes))
    this.#target.copy(larger, 0, 0, this.#at)
    this.#target = larger
  }

  /** Writes the head of an item. `major`: initial byte without an argument. `argument`: a non-negative integer. */
  head(major: number, argument: number): void {
    this.#room(MOST_HEAD)
    const target = this.#target
    if (argument < 24) target[this.#at++] = major | argument
    else if (argument < 0x100) {
      target[this.#at++] = major | 24
      target[this.#at++] = argument
    } else if (argument < 0x10000) {
      target[this.#at++] = major | 25
      this.#at = target.writeUInt16BE(argument, this.#at)
    } else if (argument < 0x1_0000_0000) {
      target[this.#at++] = major | 26
      this.#at = target.writeUInt32BE(argument, this.#at)
    } else {
      target[this.#at++] = major | 27
      this.#at = target.writeUInt32BE(Math.floor(argument / 2 ** 32), this.#at)
      this.#at = target.writeUInt32BE(argument >>> 0, this.#at)
    }
  }

  /** Writes a string as a byte string in UTF-8. */
  text(text: string): void {
    const { length } = text
    if (length >= SHORT) {
      this.#longText(text)
      return
    }
    this.#room(1 + 3 * length)
    const target = this.#target
    const start = this.#at
    let at = start + 1
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code >= 0x80) {
        this.#longText(text)
        return
      }
      target[at++] = code
    }
    target[start] = BYTES | length
    this.#at = at
  }

  #longText(text: string): void {
    const bytes = Buffer.byteLength(text)
    this.head(BYTES, bytes)
    this.#room(bytes)
    this.#at += this.#target.write(text, this.#at, bytes === text.length ? 'latin1' : 'utf8')
  }

  /** Writes encoded bytes as they are. */
  encoded(bytes: Uint8Array): void {
    const { length } = bytes
    this.#room(length)
    const target = this.#target
    let at = this.#at
    for (let i = 0; i < length; i++) target[at++] = bytes[i] ?? 0
    this.#at = at
  }

  /** Writes bytes that JSON holds as base64, as a tagged byte string. */
  base64(text: string): void {
    const bytes = Buffer.from(text, 'base64')
    this.#byte(BASE64_TAG)
    this.head(BYTES, bytes.length)
    this.#room(bytes.length)
    this.#at += bytes.copy(this.#target, this.#at)
  }

  nil(): void {
    this.#byte(NULL)
  }

  boolean(value: boolean): void {
    this.#byte(value ? TRUE : FALSE)
  }

  /** Writes a number of a field without a Go type: an integer if it is whole and not -0, otherwise a float. */
  number(value: number): void {
    if (Number.isSafeInteger(value) && !Object.is(value, -0)) this.integer(value)
    else this.float(value)
  }

  /** Writes a safe integer, or a bigint of 64 bits. */
  integer(value: number | bigint): void {
    if (typeof value === 'bigint') {
      this.#room(MOST_HEAD)
      this.#target[this.#at++] = value < 0n ? NINT | 27 : UINT | 27
      this.#at = this.#target.writeBigUInt64BE(value < 0n ? -1n - value : value, this.#at)
    } else if (value >= 0) this.head(UINT, value)
    else this.head(NINT, -1 - value)
  }

  /** Writes a float of 16, 32 or 64 bits: the shortest that represents the number exactly. */
  float(value: number): void {
    this.#room(MOST_HEAD)
    const half = toFloat16(value)
    if (half !== undefined) {
      this.#target[this.#at++] = 0xf9
      this.#at = this.#target.writeUInt16BE(half, this.#at)
    } else if (Math.fround(value) === value) {
      this.#target[this.#at++] = 0xfa
      this.#at = this.#target.writeFloatBE(value, this.#at)
    } else {
      this.#target[this.#at++] = 0xfb
      this.#at = this.#target.writeDoubleBE(value, this.#at)
    }
  }

  #byte(byte: number): void {
    this.#room(1)
    this.#target[this.#at++] = byte
  }
}
