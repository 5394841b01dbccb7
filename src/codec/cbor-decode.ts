import { isUtf8 } from 'node:buffer'
import type { Json, JsonObject } from '../api/meta/object.ts'
import { MAX_INT64 } from '../lib/integer.ts'
import { isStepDone, runAtOnce, type Steps } from '../lib/steps.ts'
import { noteMembers } from '../lib/wide-objects.ts'
import { setMember } from '../meta/equal.ts'
import { trimFraction } from '../meta/time.ts'
import { asciiText, knownKey } from './ascii-text.ts'
import { CborError } from './cbor-error.ts'
import { ARRAY, BYTES, CborInput, MAP, NINT, refusedItem, SIMPLE, TAG, TEXT, TYPES, UINT } from './cbor-input.ts'
import { DATE_TIME, EPOCH, isLaterEncoding, laterEncoded, NEGATIVE_BIGNUM, POSITIVE_BIGNUM } from './cbor-tags.ts'
import type { ParsedJson } from './json-exact.ts'
import { MOST_VALUES, tooManyValues } from './value-bound.ts'

/** A parsed body. The caller must check `fault`. */
export interface ParsedCbor extends ParsedJson {
  readonly cbor: true
  /**
   * First fault of a well-formed item: a repeated key, invalid UTF-8, an integer beyond 64 bits, or a simple value that
   * JSON does not have. `shallow`: the fault is in a key of the outermost map, or in the value of kind or apiVersion,
   * so not even the type of the object is known.
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

/** Shorter strings have their length in the head, and are read character by character. */
const SHORT = 24

/**
 * Parses one data item into the JSON data model, as apimachinery does. Byte strings become strings: base64url, base64
 * or hexadecimal within tags 21 to 23. Other tags are dropped. Integers beyond 2^53 are bigint. Throws CborError if the
 * bytes are not well-formed, and 413 if they hold too many values; other faults are part of the result.
 */
export const parseCbor = (bytes: Buffer, limits = BODY_LIMITS): ParsedCbor => runAtOnce(parseCborInSteps(bytes, limits))

/** Like `parseCbor`, in steps, for items that may be large. */
export const parseCborInSteps = (bytes: Buffer, limits = BODY_LIMITS): Steps<ParsedCbor> => new CborReader(bytes, limits).parse()

/** An array or map whose items are being read. */
interface OpenItem {
  readonly value: Json[] | JsonObject
  readonly isMap: boolean
  /** Number of its items or pairs; -1 if a break ends it. */
  readonly count: number
  /** Depth of its items. */
  readonly depth: number
  /** Length of the path to it. */
  readonly step: number
  /** The tag that encloses it, as `later` was before its tags. */
  readonly later: number
  /** Items or pairs read. */
  read: number
  /** Key of the value that is read next; undefined before a key. */
  key: string | undefined
  /** Major type of a key that is no string, while it is read. */
  keyType: number
}

/** Reads the items of one body, within the limits. Uses an explicit stack, as nesting may be deep. */
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
  /** Innermost array or map, and those around it. */
  #top: OpenItem | undefined
  readonly #outer: OpenItem[] = []
  #result: Json = null

  constructor(bytes: Buffer, limits: CborLimits) {
    this.#input = new CborInput(bytes)
    this.#limits = limits
    this.#tooLong = `elements ${limits.elements} for CBOR array`
    this.#tooWide = `key-value pairs ${limits.elements} for CBOR map`
  }

  /** Reads the only item of the body. Throws CborError if bytes follow it. */
  *parse(): Steps<ParsedCbor> {
    const input = this.#input
    const { length } = input.bytes
    if (length === 0) throw new CborError('EOF')
    this.#readItem(0)
    for (let top = this.#top; top !== undefined; top = this.#top) {
      if (isStepDone()) yield
      if (top.isMap) this.#readPair(top)
      else this.#readElement(top)
    }
    if (input.at !== length) throw new CborError(`cbor: ${length - input.at} bytes of extraneous data starting at index ${input.at}`)
    const literals = this.#literals && { literals: this.#literals }
    return { cbor: true, value: this.#result, duplicates: [], ...literals, ...(input.fault && { fault: input.fault }) }
  }

  /** Reads an item with its tags: a scalar whole, an array or a map up to its first item. */
  #readItem(depth: number): void {
    if (++this.#items > MOST_VALUES) throw tooManyValues()
    const input = this.#input
    const later = this.#later
    input.readHead()
    if (input.major === TAG) this.#readTagged(depth, later)
    else this.#readUntagged(depth, later)
  }

  /** Reads the item whose head was read. `later`: the enclosing tag outside of its own tags. */
  #readUntagged(depth: number, later: number): void {
    const { major } = this.#input
    if (major === ARRAY || major === MAP) this.#open(depth + 1, major === MAP, later)
    else {
      const value = this.#scalar()
      this.#later = later
      this.#put(value)
    }
  }

  #scalar(): Json {
    const input = this.#input
    switch (input.major) {
      case UINT:
        return this.#unsigned(input.argument)
      case NINT:
        return this.#negative(input.argument)
      case BYTES:
      case TEXT:
        return this.#readString()
      default:
        return this.#simple()
    }
  }

  /** Adds an item to the innermost array or map, or makes it the key of its next value. */
  #put(value: Json): void {
    const top = this.#top
    if (top === undefined) this.#result = value
    else if (top.isMap) this.#putMember(top, value)
    else {
      const list = top.value as Json[]
      if (this.#isFloat(value)) this.#noteFloat(list, String(list.length), value)
      list.push(value)
      top.read++
    }
  }

  #putMember(top: OpenItem, value: Json): void {
    const { key } = top
    if (key === undefined) {
      this.#putOddKey(top, value)
      return
    }
    const map = top.value as JsonObject
    if (this.#isFloat(value)) this.#noteFloat(map, key, value)
    if (key === '__proto__') setMember(map, key, value)
    else map[key] = value
    top.key = undefined
    top.read++
  }

  #unsigned(value: number | bigint): Json {
    if (value > MAX_INT64)
      this.#input.note(`cbor: cannot unmarshal positive integer into Go value of type int64 (${value} overflows Go's int64)`)
    return normal(value)
  }

  /** Decodes a negative integer: argument n encodes -1 - n. */
  #negative(argument: number | bigint): Json {
    const value = typeof argument === 'number' && argument < Number.MAX_SAFE_INTEGER ? -1 - argument : -1n - BigInt(argument)
    if (value < -MAX_INT64 - 1n)
      this.#input.note(`cbor: cannot unmarshal negative integer into Go value of type int64 (${value} overflows Go's int64)`)
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

  /**
   * Decodes UTF-8. Upstream keeps invalid UTF-8 of a byte string; a JavaScript string cannot, so it is a fault as in a
   * text string.
   */
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

  /** Begins the array or map whose head was read. A definite length is bounded before items are read. */
  #open(depth: number, isMap: boolean, later: number): void {
    this.#enter(depth)
    const { path } = this.#input
    const count = this.#input.lengthOf(this.#limits.elements, isMap ? this.#tooWide : this.#tooLong)
    if (this.#top) this.#outer.push(this.#top)
    this.#top = { value: isMap ? {} : [], isMap, count, depth, step: path.length, later, read: 0, key: undefined, keyType: TEXT }
    path.push(isMap ? '' : 0)
  }

  /**
   * Reports whether an array or map ends here, and adds it to the one around it if so. Throws if it has as many items
   * as are allowed, and another.
   */
  #isClosed(top: OpenItem): boolean {
    const input = this.#input
    const { count, read } = top
    if (count < 0 ? !input.atBreak() : read < count) {
      if (read >= this.#limits.elements) throw input.error(`cbor: exceeded max number of ${top.isMap ? this.#tooWide : this.#tooLong}`)
      return false
    }
    input.path.length = top.step
    this.#later = top.later
    this.#top = this.#outer.pop()
    if (top.isMap) noteMembers(top.value, read)
    this.#put(top.value)
    return true
  }

  /** Begins the next item of an array. The path has its index, for faults. */
  #readElement(top: OpenItem): void {
    if (this.#isClosed(top)) return
    this.#input.path[top.step] = top.read
    this.#readItem(top.depth)
  }

  /** Reads the next key of a map and begins its value. */
  #readPair(top: OpenItem): void {
    if (top.key === undefined) {
      if (this.#isClosed(top)) return
      this.#readKey(top)
      // The key is an array or map, which is read first.
      if (!hasKey(top)) return
    }
    this.#readItem(top.depth)
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

  /** Keys are text or byte strings. A key of another type is noted, and its text stands for it. */
  #readKey(top: OpenItem): void {
    const input = this.#input
    const type = input.peekMajor()
    if (type !== BYTES && type !== TEXT) {
      // A fault in a key is reported at the path of its map.
      input.path.pop()
      top.keyType = type
      this.#readItem(top.depth)
      return
    }
    input.readHead()
    if (input.info < SHORT) {
      const short = this.#shortText(input.info, knownKey)
      if (short !== undefined) {
        this.#setKey(top, short)
        return
      }
    }
    input.path.pop()
    this.#setKey(top, this.#textOf(input.stringBytes(), top.step === 0))
  }

  /**
   * Upstream accepts an integer as a map key. No struct has such a field, and in a map it is a key of the wrong type.
   */
  #putOddKey(top: OpenItem, key: Json): void {
    const type = TYPES[top.keyType]
    this.#input.note(
      `cbor: cannot unmarshal ${type} into Go value of type string (map key is of type ${type} and cannot be used as a member's name)`,
      top.step === 0,
    )
    this.#setKey(top, typeof key === 'object' ? '' : String(key))
  }

  /**
   * Sets the key of the next value. Of repeated keys the last value counts, and a fault is noted. It is shallow in the
   * root (see `ParsedCbor.fault`).
   */
  #setKey(top: OpenItem, key: string): void {
    const input = this.#input
    input.path[top.step] = key
    if (key in top.value && Object.hasOwn(top.value, key))
      input.note(`cbor: found duplicate map key "${key}" at map element index ${top.read}`, top.step === 0)
    top.key = key
  }

  /**
   * Reads the tags from the one whose head was read, and the tagged value. `later`: the enclosing tag outside of them.
   */
  #readTagged(depth: number, later: number): void {
    const input = this.#input
    let level = depth
    let isEpoch = false
    for (;;) {
      const tag = input.argument
      const next = input.peekMajor()
      if (tag === POSITIVE_BIGNUM || tag === NEGATIVE_BIGNUM) throw input.error(refusedItem(TAG, 'bignum'))
      this.#checkTag(tag, next)
      if (isLaterEncoding(tag)) this.#later = tag
      // Upstream looks at the depth of a tag within a time before it reads it.
      if (tag === EPOCH) {
        isEpoch = true
        if (next === TAG) this.#enter(++level)
      }
      if ((next !== TAG || tag === EPOCH) && ++this.#items > MOST_VALUES) throw tooManyValues()
      input.readHead()
      if (next !== TAG) break
      if (tag !== EPOCH) this.#enter(++level)
    }
    if (!isEpoch || input.major === ARRAY || input.major === MAP) {
      this.#readUntagged(level, later)
      return
    }
    const value = this.#scalar()
    this.#later = later
    this.#put(typeof value === 'number' ? this.#epochTime(value) : value)
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

const hasKey = ({ key }: OpenItem): boolean => key !== undefined

/** Converts a bigint to a number if it is a safe integer. */
const normal = (value: number | bigint): number | bigint =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
