import { MAX_INT64 } from '../lib/integer.ts'
import { CborError } from './cbor-error.ts'
import { readFloat16 } from './float16.ts'
import { MOST_VALUES, tooManyValues } from './value-bound.ts'

/** Major types (RFC 8949, section 3.1). */
export const UINT = 0
export const NINT = 1
export const BYTES = 2
export const TEXT = 3
export const ARRAY = 4
export const MAP = 5
export const TAG = 6
/** Floats and the simple values false, true and null. */
export const SIMPLE = 7

/** Names of the major types in the errors of fxamacker/cbor. */
export const TYPES = [
  'positive integer',
  'negative integer',
  'byte string',
  'UTF-8 text string',
  'array',
  'map',
  'tag',
  'primitives',
] as const

/** Additional information from which the argument of a head is in the bytes behind it. */
const ONE_BYTE = 24
/** Additional information of an item of indefinite length, which a break ends. */
const INDEFINITE = 31
const BREAK = 0xff

/** Chunks up to this many bytes are copied in a loop. */
const SHORT_CHUNK = 16

/** Limit on the characters of a path that an error quotes. */
const MOST_PATH = 200

/** Error text of fxamacker/cbor for an item of a known type that is not accepted. */
export const refusedItem = (type: number, what: string): string =>
  `cbor: data item of cbor type ${TYPES[type]} is not accepted by protocol: ${what}`

const unexpectedEnd = (): CborError => new CborError('unexpected EOF')

/** Reads the heads and strings of one data item, and records its first fault. One per parsed body. */
export class CborInput {
  /** Offset of the next byte. */
  at = 0
  /** Major type of the last head. */
  major = 0
  /** Additional information of the last head, 0 to 31. Below 24 it is the argument itself. */
  info = 0
  /**
   * Argument of the last head: a value, a length or a tag; -1 for an indefinite length; for a float, its value. A
   * bigint beyond 2^53.
   */
  argument: number | bigint = 0
  /** Members and indices that lead to the current item. */
  readonly path: (string | number)[] = []
  /** First fault of a well-formed item. Parsing continues after it. */
  fault: { readonly text: string; readonly shallow: boolean } | undefined
  readonly bytes: Buffer
  /** Chunks of the last string of indefinite length. */
  #chunks = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Throws CborError if fewer than `bytes` bytes are left. */
  need(bytes: number): void {
    if (this.bytes.length - this.at < bytes) throw unexpectedEnd()
  }

  /** Returns the major type of the next item without consuming it. */
  peekMajor(): number {
    this.need(1)
    return (this.bytes[this.at] ?? 0) >> 5
  }

  /**
   * Reads the head of an item into `major`, `info` and `argument`. Throws CborError if it is not well-formed, or is a
   * float that JSON cannot represent.
   */
  readHead(): void {
    this.need(1)
    const initial = this.bytes[this.at++] ?? 0
    this.major = initial >> 5
    this.info = initial & 31
    if (this.info < 24) this.argument = this.info
    else if (this.info <= 27) this.argument = this.#longArgument(this.info)
    else if (this.info === INDEFINITE && this.major === SIMPLE) throw new CborError('cbor: unexpected "break" code')
    else if (this.info === INDEFINITE && this.major >= BYTES && this.major <= MAP) this.argument = -1
    else throw new CborError(`cbor: invalid additional information ${this.info} for type ${TYPES[this.major]}`)
  }

  /** Reads an argument of one, two, four or eight bytes. */
  #longArgument(info: number): number | bigint {
    const { bytes, at } = this
    const isSimple = this.major === SIMPLE
    const size = 1 << (info - 24)
    this.need(size)
    this.at += size
    switch (size) {
      case 1: {
        const value = bytes[at] ?? 0
        if (isSimple && value < 32) throw new CborError(`cbor: invalid simple value ${value} for type ${TYPES[SIMPLE]}`)
        return value
      }
      case 2:
        return isSimple ? this.#finite(readFloat16(bytes.readUInt16BE(at))) : bytes.readUInt16BE(at)
      case 4:
        return isSimple ? this.#finite(bytes.readFloatBE(at)) : bytes.readUInt32BE(at)
      default: {
        if (isSimple) return this.#finite(bytes.readDoubleBE(at))
        const high = bytes.readUInt32BE(at)
        return high < 0x200000 ? high * 2 ** 32 + bytes.readUInt32BE(at + 4) : bytes.readBigUInt64BE(at)
      }
    }
  }

  /** Throws for NaN and infinities, which JSON cannot represent. */
  #finite(value: number): number {
    if (Number.isNaN(value)) throw this.error(refusedItem(SIMPLE, 'floating-point NaN'))
    if (!Number.isFinite(value)) throw this.error(refusedItem(SIMPLE, 'floating-point infinity'))
    return value
  }

  /**
   * Returns the length of the last head in bytes, items or pairs; -1 if a break ends the item. Throws above `limit`: an
   * unexpected end if `tooMany` is empty.
   */
  lengthOf(limit: number, tooMany: string): number {
    const { argument, major } = this
    if (typeof argument === 'number' && argument <= limit) return argument
    if (argument > MAX_INT64)
      throw this.error(
        `cbor: ${TYPES[major]} length ${argument} is too large, ${major === ARRAY || major === MAP ? 'it would cause' : 'causing'} integer overflow`,
      )
    throw tooMany === '' ? unexpectedEnd() : this.error(`cbor: exceeded max number of ${tooMany}`)
  }

  /** Whether an item of indefinite length ends here. Consumes the break if so. */
  atBreak(): boolean {
    this.need(1)
    if (this.bytes[this.at] !== BREAK) return false
    this.at++
    return true
  }

  /**
   * Returns the bytes of the string whose head was read. A string of definite length is a view of the input; the chunks
   * of an indefinite one are joined.
   */
  stringBytes(): Buffer {
    const type = this.major
    const whole = this.#take(this.lengthOf(this.bytes.length - this.at, ''))
    if (whole !== undefined) return whole
    const start = this.at
    const joined = Buffer.allocUnsafe(this.#joinChunks(type))
    this.at = start
    this.#joinChunks(type, joined)
    this.major = type
    return joined
  }

  /**
   * Copies the chunks of a string of indefinite length to `to`, or only measures them without it. Returns their total
   * length. No object is allocated per chunk, and short ones are read by a loop of their own. Throws 413 for more
   * chunks than a body may have values.
   */
  #joinChunks(type: number, to?: Buffer): number {
    this.#chunks = 0
    let end = this.#joinShortChunks(type, to, 0)
    while (!this.atBreak()) {
      const inner = this.peekMajor()
      if (inner !== type) throw new CborError(`cbor: wrong element type ${TYPES[inner]} for indefinite-length ${TYPES[type]}`)
      this.readHead()
      if (++this.#chunks > MOST_VALUES) throw tooManyValues()
      const length = this.lengthOf(this.bytes.length - this.at, '')
      if (length < 0) throw new CborError(`cbor: indefinite-length ${TYPES[type]} chunk is not definite-length`)
      if (to && length > SHORT_CHUNK) this.bytes.copy(to, end, this.at, this.at + length)
      else if (to) for (let i = 0; i < length; i++) to[end + i] = this.bytes[this.at + i] ?? 0
      this.at += length
      end = this.#joinShortChunks(type, to, end + length)
    }
    return end
  }

  /** Copies the chunks that follow and whose heads contain their lengths. Returns the end of `to`. */
  #joinShortChunks(type: number, to: Buffer | undefined, from: number): number {
    const { bytes } = this
    const { length } = bytes
    let { at } = this
    let end = from
    for (; ; this.#chunks++) {
      if (this.#chunks > MOST_VALUES) throw tooManyValues()
      const head = bytes[at] ?? BREAK
      const next = at + 1 + (head & 31)
      if (head >> 5 !== type || (head & 31) >= ONE_BYTE || next > length) break
      at++
      if (to === undefined) end += next - at
      else while (at < next) to[end++] = bytes[at++] ?? 0
      at = next
    }
    this.at = at
    return end
  }

  /** Consumes `length` bytes, which the caller has checked are left. Undefined for a negative length. */
  #take(length: number): Buffer | undefined {
    if (length < 0) return undefined
    const from = this.at
    this.at += length
    return this.bytes.subarray(from, this.at)
  }

  /**
   * Records why a well-formed item is not acceptable. Only the first fault is kept. See `ParsedCbor.fault` for
   * `shallow`.
   */
  note(text: string, shallow = false): void {
    this.fault ??= { text: this.#located(text), shallow }
  }

  /** Creates the error of a fault that ends parsing, followed by the path. */
  error(text: string): CborError {
    return new CborError(this.#located(text))
  }

  /** Appends the path to a text, as field validation writes paths: `spec.ports[0].name`. */
  #located(text: string): string {
    let place = ''
    for (const step of this.path) place += typeof step === 'number' ? `[${step}]` : place === '' ? step : `.${step}`
    return place === '' ? text : `${text} (${place.length > MOST_PATH ? `${place.slice(0, MOST_PATH)}…` : place})`
  }
}
