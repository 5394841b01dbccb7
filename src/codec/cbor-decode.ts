import { isUtf8 } from 'node:buffer'
import { MAX_INT64 } from '../lib/integer.ts'
import { setMember } from '../meta/equal.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { asciiText, knownKey } from './ascii-text.ts'
import { readFloat16 } from './float16.ts'
import type { ParsedJson } from './json-exact.ts'
import { MOST_VALUES, tooManyValues } from './value-bound.ts'

/** Bytes that are no CBOR, or none that is accepted. The message is upstream's, with the path behind it where there is one. */
export class CborError extends Error {
  override readonly name = 'CborError'
}

export interface ParsedCbor extends ParsedJson {
  readonly cbor: true
  /**
   * The first fault of what is well-formed: a repeated key, broken UTF-8, a number beyond 64 bits, a simple value that JSON has not. `shallow`: it is a key of the
   * outermost map, or stands where a kind or an apiVersion should, so that not even the type of the object can be told.
   */
  readonly fault?: { readonly text: string; readonly shallow: boolean }
}

const MAX_DEPTH = 64
const MAX_ELEMENTS = 1024
const TYPES = ['positive integer', 'negative integer', 'byte string', 'UTF-8 text string', 'array', 'map', 'tag', 'primitives'] as const

const UINT = 0
const NINT = 1
const BYTES = 2
const TEXT = 3
const ARRAY = 4
const MAP = 5
const TAG = 6
const SIMPLE = 7

const INDEFINITE = 31
const BREAK = 0xff

/** Where parsing stands: one body at a time, and nothing here waits. */
let data: Buffer
let at = 0
/** That have been read. */
let items = 0
/** Of the head that was read last; `argument` may be a bigint beyond 2^53. */
let major = 0
let info = 0
let argument: number | bigint = 0
let fault: { text: string; shallow: boolean } | undefined
let literals: WeakMap<object, Map<string, string>> | undefined
let path: (string | number)[] = []
/** The nearest `expected later encoding` tag (21 to 23), or 0. */
let later = 0

/**
 * Parses one data item as apimachinery does, into the JSON data model: byte strings are strings; what a tag 21 to 23 stands before becomes base64url, base64 or hexadecimal;
 * other tags are dropped. Integers beyond 2^53 are bigint. Throws CborError where the bytes are not well-formed, 413 where they hold too many values; other faults come with the result.
 */
export function parseCbor(bytes: Buffer): ParsedCbor {
  data = bytes
  at = 0
  items = 0
  fault = undefined
  literals = undefined
  path = []
  later = 0
  if (bytes.length === 0) throw new CborError('EOF')
  try {
    const value = readItem(0)
    if (at !== bytes.length) throw new CborError(`cbor: ${bytes.length - at} bytes of extraneous data starting at index ${at}`)
    return parsed(value)
  } finally {
    data = NOTHING
    path = []
  }
}

function parsed(value: Json): ParsedCbor {
  return { cbor: true, value, duplicates: [], ...(literals && { literals }), ...(fault && { fault }) }
}

const NOTHING = Buffer.alloc(0)

const unexpectedEnd = (): CborError => new CborError('unexpected EOF')
const refused = (type: number, what: string): string => `cbor: data item of cbor type ${TYPES[type]} is not accepted by protocol: ${what}`

/** The members on the way to what is being read, as field validation writes them. */
function where(): string {
  let out = ''
  for (const step of path) out += typeof step === 'number' ? `[${step}]` : out === '' ? step : `.${step}`
  return out
}

const behind = (text: string): string => {
  const place = where()
  return place === '' ? text : `${text} (${place.length > 200 ? `${place.slice(0, 200)}…` : place})`
}

/** Notes what makes a well-formed item unacceptable; the first one counts. */
function note(text: string, shallow = false): void {
  fault ??= { text: behind(text), shallow }
}

function need(bytes: number): void {
  if (data.length - at < bytes) throw unexpectedEnd()
}

function readHead(): void {
  need(1)
  const initial = data[at++] as number
  major = initial >> 5
  info = initial & 31
  if (info < 24) {
    argument = info
    return
  }
  switch (info) {
    case 24:
      need(1)
      argument = data[at++] as number
      if (major === SIMPLE && argument < 32) throw new CborError(`cbor: invalid simple value ${argument} for type ${TYPES[SIMPLE]}`)
      return
    case 25:
      need(2)
      argument = major === SIMPLE ? finite(readFloat16(data.readUInt16BE(at))) : data.readUInt16BE(at)
      at += 2
      return
    case 26:
      need(4)
      argument = major === SIMPLE ? finite(data.readFloatBE(at)) : data.readUInt32BE(at)
      at += 4
      return
    case 27: {
      need(8)
      if (major === SIMPLE) argument = finite(data.readDoubleBE(at))
      else {
        const high = data.readUInt32BE(at)
        argument = high < 0x200000 ? high * 2 ** 32 + data.readUInt32BE(at + 4) : data.readBigUInt64BE(at)
      }
      at += 8
      return
    }
    case INDEFINITE:
      if (major === SIMPLE) throw new CborError('cbor: unexpected "break" code')
      if (major >= BYTES && major <= MAP) {
        argument = -1
        return
      }
  }
  throw new CborError(`cbor: invalid additional information ${info} for type ${TYPES[major]}`)
}

function finite(value: number): number {
  if (Number.isNaN(value)) throw new CborError(behind(refused(SIMPLE, 'floating-point NaN')))
  if (!Number.isFinite(value)) throw new CborError(behind(refused(SIMPLE, 'floating-point infinity')))
  return value
}

/** The length that a head tells, checked against what is there; -1: until a break. */
function lengthOf(limit: number, tooMany: string): number {
  if (typeof argument === 'number' && argument <= limit) return argument
  if (argument > MAX_INT64)
    throw new CborError(
      behind(`cbor: ${TYPES[major]} length ${argument} is too large, ${major === ARRAY || major === MAP ? 'it would cause' : 'causing'} integer overflow`),
    )
  throw tooMany === '' ? unexpectedEnd() : new CborError(behind(`cbor: exceeded max number of ${tooMany}`))
}

function readItem(depth: number): Json {
  if (++items > MOST_VALUES) throw tooManyValues()
  readHead()
  switch (major) {
    case UINT:
      return unsigned()
    case NINT:
      return negative()
    case BYTES:
    case TEXT:
      return readString()
    case ARRAY:
      return readArray(depth + 1)
    case MAP:
      return readMap(depth + 1)
    case TAG:
      return readTagged(depth)
    default:
      return simple()
  }
}

function unsigned(): Json {
  const value = argument
  if (value > MAX_INT64) note(`cbor: cannot unmarshal positive integer into Go value of type int64 (${value} overflows Go's int64)`)
  return normal(value)
}

function negative(): Json {
  const value = typeof argument === 'number' && argument < Number.MAX_SAFE_INTEGER ? -1 - argument : -1n - BigInt(argument)
  if (value < -MAX_INT64 - 1n) note(`cbor: cannot unmarshal negative integer into Go value of type int64 (${value} overflows Go's int64)`)
  return normal(value)
}

const normal = (value: number | bigint): number | bigint => (typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value)

/** A float, or one of false, true and null. */
function simple(): Json {
  if (info >= 25) return argument as number
  switch (argument) {
    case 20:
      return false
    case 21:
      return true
    case 22:
      return null
    default:
      note(refused(SIMPLE, `simple value ${argument} is not recognized`))
      return null
  }
}

/** The bytes of a string whose head has been read. */
function stringBytes(): Buffer {
  const type = major
  const length = lengthOf(data.length - at, '')
  if (length >= 0) {
    const bytes = data.subarray(at, at + length)
    at += length
    return bytes
  }
  const chunks: Buffer[] = []
  for (;;) {
    need(1)
    if (data[at] === BREAK) break
    const inner = (data[at] as number) >> 5
    if (inner !== type) throw new CborError(`cbor: wrong element type ${TYPES[inner]} for indefinite-length ${TYPES[type]}`)
    readHead()
    if (info === INDEFINITE) throw new CborError(`cbor: indefinite-length ${TYPES[type]} chunk is not definite-length`)
    const chunk = lengthOf(data.length - at, '')
    chunks.push(data.subarray(at, at + chunk))
    at += chunk
  }
  at++
  major = type
  return Buffer.concat(chunks)
}

function readString(): string {
  const type = major
  if (type === BYTES && later !== 0) return laterEncoded(stringBytes())
  if (info < 24) {
    const short = shortText(argument as number)
    if (short !== undefined) return short
  }
  return textOf(stringBytes())
}

/** Upstream keeps a byte string of broken UTF-8 as it is; a string of this program could not, so it is refused like a text string. */
function textOf(bytes: Buffer, shallow = false): string {
  if (!isUtf8(bytes)) note('cbor: invalid UTF-8 string', shallow)
  return bytes.toString('utf8')
}

/** A string of so many bytes; undefined where it is not of ASCII alone, and nothing has been read. `isKey`: it may have been met before. */
function shortText(length: number, isKey = false): string | undefined {
  if (at + length > data.length) throw unexpectedEnd()
  const text = isKey ? knownKey(data, at, length) : asciiText(data, at, length)
  if (text !== undefined) at += length
  return text
}

function laterEncoded(bytes: Buffer): string {
  return later === 22 ? bytes.toString('base64') : later === 21 ? bytes.toString('base64url') : bytes.toString('hex')
}

function enter(depth: number): void {
  if (depth > MAX_DEPTH) throw new CborError(behind(`cbor: exceeded max nested level ${MAX_DEPTH}`))
}

/** Whether the items of an indefinite-length array or map are over; steps behind the break. */
function atBreak(): boolean {
  need(1)
  if (data[at] !== BREAK) return false
  at++
  return true
}

const TOO_LONG = `elements ${MAX_ELEMENTS} for CBOR array`
const TOO_WIDE = `key-value pairs ${MAX_ELEMENTS} for CBOR map`

function readArray(depth: number): Json[] {
  enter(depth)
  const count = lengthOf(MAX_ELEMENTS, TOO_LONG)
  const out: Json[] = []
  const step = path.length
  path.push(0)
  for (let i = 0; count < 0 ? !atBreak() : i < count; i++) {
    if (i >= MAX_ELEMENTS) throw new CborError(behind(`cbor: exceeded max number of ${TOO_LONG}`))
    path[step] = i
    const value = readItem(depth)
    if (isFloat(value)) noteFloat(out, String(i), value)
    out.push(value)
  }
  path.length = step
  return out
}

/** Whether the item that was read last is a float that a number does not tell from an integer. */
const isFloat = (value: Json): value is number => typeof value === 'number' && major === SIMPLE && Number.isInteger(value)

function noteFloat(container: object, key: string, value: number): void {
  literals ??= new WeakMap()
  const known = literals.get(container) ?? new Map<string, string>()
  literals.set(container, known.set(key, `${value}.0`))
}

function readMap(depth: number): JsonObject {
  enter(depth)
  const count = lengthOf(MAX_ELEMENTS, TOO_WIDE)
  const out: JsonObject = {}
  const step = path.length
  const shallow = step === 0
  path.push('')
  for (let i = 0; count < 0 ? !atBreak() : i < count; i++) {
    if (i >= MAX_ELEMENTS) throw new CborError(behind(`cbor: exceeded max number of ${TOO_WIDE}`))
    const key = readKey(depth, shallow)
    path[step] = key
    if (key in out && Object.hasOwn(out, key)) note(`cbor: found duplicate map key "${key}" at map element index ${i}`, shallow)
    const value = readItem(depth)
    if (isFloat(value)) noteFloat(out, key, value)
    if (key === '__proto__') setMember(out, key, value)
    else out[key] = value
  }
  path.length = step
  major = MAP
  return out
}

function readKey(depth: number, shallow: boolean): string {
  need(1)
  const type = (data[at] as number) >> 5
  if (type === BYTES || type === TEXT) {
    readHead()
    if (info < 24) {
      const short = shortText(argument as number, true)
      if (short !== undefined) return short
    }
    // What is wrong with a key is told of the map.
    path.pop()
    return textOf(stringBytes(), shallow)
  }
  path.pop()
  const key = readItem(depth)
  // A whole number is a field that no struct has; in a map it is a key of a wrong type.
  note(`cbor: cannot unmarshal ${TYPES[type]} into Go value of type string (map key is of type ${TYPES[type]} and cannot be used as a member's name)`, shallow)
  return typeof key === 'object' ? '' : String(key)
}

function readTagged(depth: number): Json {
  let level = depth
  const before = later
  for (;;) {
    const tag = argument
    need(1)
    const next = (data[at] as number) >> 5
    if (tag === 2 || tag === 3) throw new CborError(behind(refused(TAG, 'bignum')))
    checkTag(tag, next)
    if (tag === 21 || tag === 22 || tag === 23) later = tag
    if (tag === 1) {
      const seconds = readItem(level)
      return typeof seconds === 'string' ? seconds : epochTime(seconds)
    }
    if (next !== TAG) break
    readHead()
    level++
    enter(level)
  }
  const value = readItem(level)
  later = before
  return value
}

function checkTag(tag: number | bigint, next: number): void {
  const must = (what: string): void => note(`cbor: tag number ${tag} must be followed by ${what}, got ${TYPES[next]}`)
  if (tag === 0 && next !== TEXT) must('text string')
  if (tag === 1 && next !== UINT && next !== NINT && next !== SIMPLE) must('integer or floating-point number')
}

/** Tag 1: seconds since the epoch as RFC 3339. */
function epochTime(seconds: Json): Json {
  if (typeof seconds !== 'number') return seconds
  const time = new Date(seconds * 1000)
  if (Number.isNaN(time.getTime())) {
    note('cbor: decoded time cannot be represented in RFC3339 format')
    return null
  }
  return time.toISOString().replace(/\.?0*Z$/, 'Z')
}
