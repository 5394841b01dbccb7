import { isUtf8 } from 'node:buffer'
import type { Json, JsonObject } from '../api/meta/object.ts'
import { MAX_INT64 } from '../lib/integer.ts'
import { setMember } from '../meta/equal.ts'
import { trimFraction } from '../meta/time.ts'
import { asciiText, knownKey } from './ascii-text.ts'
import { CborError } from './cbor-error.ts'
import { ARRAY, BYTES, CborInput, MAP, NINT, refusedItem, SIMPLE, TAG, TEXT, TYPES, UINT } from './cbor-input.ts'
import type { ParsedJson } from './json-exact.ts'
import { MOST_VALUES, tooManyValues } from './value-bound.ts'

/** A parsed body. The caller must check `fault`. */
export interface ParsedCbor extends ParsedJson {
  readonly cbor: true
  /**
   * First fault of a well-formed item: a repeated key, invalid UTF-8, an integer beyond 64 bits, or a simple value that JSON does not have. `shallow`: the
   * fault is in a key of the outermost map, or in the value of kind or apiVersion, so not even the type of the object is known.
   */
  readonly fault?: { readonly text: string; readonly shallow: boolean }
}

/** Limits of a decoder. */
export interface CborLimits {
  /** Nesting depth. */
  readonly depth: number
  /** Items of one array, or pairs of one map. */
  readonly elements: number
}

/** Limits of apimachinery's decoder for bodies (serializer/cbor/internal/modes). */
const BODY_LIMITS: CborLimits = { depth: 64, elements: 1024 }
/** Limits for stored objects. The depth is that of JSON. */
export const STORED_LIMITS: CborLimits = { depth: 10_000, elements: 2 ** 31 - 1 }

/** Tags (RFC 8949, section 3.4). */
const DATE_TIME = 0
const EPOCH = 1
const POSITIVE_BIGNUM = 2
const NEGATIVE_BIGNUM = 3
const LATER_BASE64URL = 21
const LATER_BASE64 = 22
const LATER_BASE16 = 23

/** Shorter strings have their length in the head, and are read character by character. */
const SHORT = 24

/**
 * Parses one data item into the JSON data model, as apimachinery does. Byte strings become strings: base64url, base64 or hexadecimal within tags 21 to 23.
 * Other tags are dropped. Integers beyond 2^53 are bigint. Throws CborError if the bytes are not well-formed, and 413 if they hold too many values; other
 * faults are part of the result.
 */
export const parseCbor = (bytes: Buffer, limits = BODY_LIMITS): ParsedCbor => new CborReader(bytes, limits).parse()

/** Reads the items of one body recursively, within the limits. */
class CborReader {
  readonly #input: CborInput
  readonly #limits: CborLimits
  readonly #tooLong: string
  readonly #tooWide: string
  /** Number of items read. */
  #items = 0
  /** The nearest enclosing `expected later encoding` tag (21 to 23), or 0. */
  #later = 0
  /** Integral floats by container and member, like `ParsedJson.literals`. */
  #literals: WeakMap<object, Map<string, string>> | undefined

  constructor(bytes: Buffer, limits: CborLimits) {
    this.#input = new CborInput(bytes)
    this.#limits = limits
    this.#tooLong = `elements ${limits.elements} for CBOR array`
    this.#tooWide = `key-value pairs ${limits.elements} for CBOR map`
  }

  /** Reads the only item of the body. Throws CborError if bytes follow it. */
  parse(): ParsedCbor {
    const input = this.#input
    const { length } = input.bytes
    if (length === 0) throw new CborError('EOF')
    const value = this.#readItem(0)
    if (input.at !== length) throw new CborError(`cbor: ${length - input.at} bytes of extraneous data starting at index ${input.at}`)
    return { cbor: true, value, duplicates: [], ...(this.#literals && { literals: this.#literals }), ...(input.fault && { fault: input.fault }) }
  }

  #readItem(depth: number): Json {
    if (++this.#items > MOST_VALUES) throw tooManyValues()
    const input = this.#input
    input.readHead()
    switch (input.major) {
      case UINT:
        return this.#unsigned(input.argument)
      case NINT:
        return this.#negative(input.argument)
      case BYTES:
      case TEXT:
        return this.#readString()
      case ARRAY:
        return this.#readArray(depth + 1)
      case MAP:
        return this.#readMap(depth + 1)
      case TAG:
        return this.#readTagged(depth)
      default:
        return this.#simple()
    }
  }

  #unsigned(value: number | bigint): Json {
    if (value > MAX_INT64) this.#input.note(`cbor: cannot unmarshal positive integer into Go value of type int64 (${value} overflows Go's int64)`)
    return normal(value)
  }

  /** Decodes a negative integer: argument n encodes -1 - n. */
  #negative(argument: number | bigint): Json {
    const value = typeof argument === 'number' && argument < Number.MAX_SAFE_INTEGER ? -1 - argument : -1n - BigInt(argument)
    if (value < -MAX_INT64 - 1n) this.#input.note(`cbor: cannot unmarshal negative integer into Go value of type int64 (${value} overflows Go's int64)`)
    return normal(value)
  }

  /** Decodes a float, or one of false, true and null. */
  #simple(): Json {
    const { info, argument } = this.#input
    if (info >= 25) return argument
    switch (argument) {
      case 20:
        return false
      case 21:
        return true
      case 22:
        return null
      default:
        this.#input.note(refusedItem(SIMPLE, `simple value ${argument} is not recognized`))
        return null
    }
  }

  #readString(): string {
    const input = this.#input
    const later = this.#later
    if (input.major === BYTES && later !== 0) return laterEncoded(input.stringBytes(), later)
    if (input.info < SHORT) {
      const short = this.#shortText(input.info, asciiText)
      if (short !== undefined) return short
    }
    return this.#textOf(input.stringBytes())
  }

  /** Decodes UTF-8. Upstream keeps invalid UTF-8 of a byte string; a JavaScript string cannot, so it is a fault as in a text string. */
  #textOf(bytes: Buffer, shallow = false): string {
    if (!isUtf8(bytes)) this.#input.note('cbor: invalid UTF-8 string', shallow)
    return bytes.toString('utf8')
  }

  /** Reads a string of `length` bytes; undefined if it is not ASCII, in which case nothing has been consumed. */
  #shortText(length: number, read: (bytes: Buffer, from: number, length: number) => string | undefined): string | undefined {
    const input = this.#input
    input.need(length)
    const text = read(input.bytes, input.at, length)
    if (text !== undefined) input.at += length
    return text
  }

  #enter(depth: number): void {
    if (depth > this.#limits.depth) throw this.#input.error(`cbor: exceeded max nested level ${this.#limits.depth}`)
  }

  /** A definite length is bounded before items are read. The path has the index of the current item, for faults. */
  #readArray(depth: number): Json[] {
    this.#enter(depth)
    const input = this.#input
    const { path } = input
    const { elements } = this.#limits
    const count = input.lengthOf(elements, this.#tooLong)
    const out: Json[] = []
    const step = path.length
    path.push(0)
    for (let i = 0; count < 0 ? !input.atBreak() : i < count; i++) {
      if (i >= elements) throw input.error(`cbor: exceeded max number of ${this.#tooLong}`)
      path[step] = i
      const value = this.#readItem(depth)
      if (this.#isFloat(value)) this.#noteFloat(out, String(i), value)
      out.push(value)
    }
    path.length = step
    return out
  }

  /** Whether the last item was a float with an integral value. JavaScript has one type for both. */
  #isFloat(value: Json): value is number {
    return typeof value === 'number' && this.#input.major === SIMPLE && Number.isInteger(value)
  }

  #noteFloat(container: object, key: string, value: number): void {
    this.#literals ??= new WeakMap()
    const known = this.#literals.get(container) ?? new Map<string, string>()
    this.#literals.set(container, known.set(key, `${value}.0`))
  }

  /** Of repeated keys the last value counts, and a fault is noted. It is shallow in the root (see `ParsedCbor.fault`). */
  #readMap(depth: number): JsonObject {
    this.#enter(depth)
    const input = this.#input
    const { path } = input
    const { elements } = this.#limits
    const count = input.lengthOf(elements, this.#tooWide)
    const out: JsonObject = {}
    const step = path.length
    const shallow = step === 0
    path.push('')
    for (let i = 0; count < 0 ? !input.atBreak() : i < count; i++) {
      if (i >= elements) throw input.error(`cbor: exceeded max number of ${this.#tooWide}`)
      const key = this.#readKey(depth, shallow)
      path[step] = key
      if (key in out && Object.hasOwn(out, key)) input.note(`cbor: found duplicate map key "${key}" at map element index ${i}`, shallow)
      const value = this.#readItem(depth)
      if (this.#isFloat(value)) this.#noteFloat(out, key, value)
      if (key === '__proto__') setMember(out, key, value)
      else out[key] = value
    }
    path.length = step
    return out
  }

  /** Keys are text or byte strings. A key of another type is noted, and its text stands for it. */
  #readKey(depth: number, shallow: boolean): string {
    const input = this.#input
    const type = input.peekMajor()
    if (type === BYTES || type === TEXT) {
      input.readHead()
      if (input.info < SHORT) {
        const short = this.#shortText(input.info, knownKey)
        if (short !== undefined) return short
      }
      // A fault in a key is reported at the path of its map.
      input.path.pop()
      return this.#textOf(input.stringBytes(), shallow)
    }
    input.path.pop()
    const key = this.#readItem(depth)
    // Upstream accepts an integer as a map key. No struct has such a field, and in a map it is a key of the wrong type.
    input.note(
      `cbor: cannot unmarshal ${TYPES[type]} into Go value of type string (map key is of type ${TYPES[type]} and cannot be used as a member's name)`,
      shallow,
    )
    return typeof key === 'object' ? '' : String(key)
  }

  /** Reads tags up to the tagged value, and that value. */
  #readTagged(depth: number): Json {
    const input = this.#input
    let level = depth
    const before = this.#later
    for (;;) {
      const tag = input.argument
      const next = input.peekMajor()
      if (tag === POSITIVE_BIGNUM || tag === NEGATIVE_BIGNUM) throw input.error(refusedItem(TAG, 'bignum'))
      this.#checkTag(tag, next)
      if (tag === LATER_BASE64URL || tag === LATER_BASE64 || tag === LATER_BASE16) this.#later = tag
      if (tag === EPOCH) {
        if (next === TAG) this.#enter(++level)
        const seconds = this.#readItem(level)
        this.#later = before
        return typeof seconds === 'number' ? this.#epochTime(seconds) : seconds
      }
      if (next !== TAG) break
      input.readHead()
      level++
      this.#enter(level)
    }
    const value = this.#readItem(level)
    this.#later = before
    return value
  }

  #checkTag(tag: number | bigint, next: number): void {
    const must = (what: string): void => this.#input.note(`cbor: tag number ${tag} must be followed by ${what}, got ${TYPES[next]}`)
    if (tag === DATE_TIME && next !== TEXT) must('text string')
    if (tag === EPOCH && next !== UINT && next !== NINT && next !== SIMPLE) must('integer or floating-point number')
  }

  /** Tag 1: converts seconds since 1970 to RFC 3339. */
  #epochTime(seconds: number): Json {
    const time = new Date(seconds * 1000)
    if (Number.isNaN(time.getTime())) {
      this.#input.note('cbor: decoded time cannot be represented in RFC3339 format')
      return null
    }
    return trimFraction(time.toISOString())
  }
}

/** Converts a bigint to a number if it is a safe integer. */
const normal = (value: number | bigint): number | bigint => (typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value)

/** Tags 21 to 23 (RFC 8949, section 3.4.5.2): encodes bytes as the tag requests. */
function laterEncoded(bytes: Buffer, tag: number): string {
  return tag === LATER_BASE64 ? bytes.toString('base64') : tag === LATER_BASE64URL ? bytes.toString('base64url') : bytes.toString('hex')
}
