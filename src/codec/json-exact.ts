import { isUtf8 } from 'node:buffer'
import { quote } from '../lib/go-quote.ts'
import { inInt64, integerOf } from '../lib/integer.ts'
import type { Steps } from '../lib/steps.ts'
import { setMember } from '../meta/equal.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import { setWholeFloat } from '../meta/whole-floats.ts'
import type { Literals, Repeated } from '../schema/diagnose.ts'
import { writeString } from './json-writer.ts'
import { decodeUtf8 } from './utf8.ts'

/** A text that is no JSON. The message is that of Go's scanner. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError'
}

export interface ParsedJson {
  readonly value: Json
  /** Paths (`spec.ports[0].name`) of members that stand more than once in their object, in the order of the text; the last one counts. */
  readonly duplicates: string[]
  /** Number literals with a fraction or an exponent that their value does not tell (`1.0`). Only where there are some. */
  readonly literals?: Literals
  /** All members, in order, of objects in which one stands more than once. Only where there are some. */
  readonly repeated?: Repeated
  /** The first literal that no float64 holds (`1e400`): an error wherever it is not skipped. */
  readonly tooLarge?: string
}

const maxDepth = 10_000

interface Frame {
  readonly container: JsonObject | Json[]
  readonly entries: [string, Json][] | undefined
  key: string
  repeated: boolean
}

const QUOTE = 0x22
const SPACE = 0x20
/** Values that are read in one step. */
const STEP = 4096

/**
 * Parses byte by byte, in steps, telling what JSON.parse does not: repeated members, exact numbers, Go's errors. `withTexts`: `literals` has strings, too, that Go would write otherwise than they stand
 * there.
 */
export function* parseExactlyInSteps(bytes: Buffer, withTexts = false): Steps<ParsedJson> {
  const stack: Frame[] = []
  const duplicates: string[] = []
  const literals: Literals = new WeakMap()
  const repeated = new Map<object, [string, Json][]>()
  let odd = false
  let tooLarge: string | undefined
  let root: Json = null
  let at = 0

  /** The next byte; at the end a space, as Go's scanner has it. */
  const peek = (): number => (at < bytes.length ? (bytes[at] as number) : SPACE)
  const fail = (context: string): never => {
    throw new JsonSyntaxError(`invalid character ${quoteByte(peek())} ${context}`)
  }
  const skipSpace = (): void => {
    while (at < bytes.length && isSpace(bytes[at] as number)) at++
  }
  const ended = (): void => {
    if (at >= bytes.length) throw new JsonSyntaxError('unexpected end of JSON input')
  }

  const readString = (): string => {
    const start = at++
    for (; ; at++) {
      ended()
      const c = peek()
      if (c === QUOTE) break
      if (c < SPACE) fail('in string literal')
      if (c !== 0x5c) continue
      at++
      const letter = String.fromCharCode(peek())
      if (letter === 'u') {
        for (let n = 0; n < 4; n++) {
          at++
          if (!/[0-9a-fA-F]/.test(String.fromCharCode(peek()))) fail('in \\u hexadecimal character escape')
        }
      } else if (!'bfnrt\\/"'.includes(letter)) fail('in string escape code')
    }
    at++
    const slice = bytes.subarray(start, at)
    return (JSON.parse(isUtf8(slice) ? slice.toString('utf8') : decodeUtf8(slice)) as string).toWellFormed()
  }
  const oddText = (value: string, from: number): string | undefined => {
    if (!withTexts) return undefined
    const written = bytes.toString('utf8', from, at)
    return written === writeString(value) ? undefined : written
  }
  const digits = (): void => {
    while (isDigit(peek())) at++
  }
  const readNumber = (): { value: number | bigint; literal?: string } => {
    const start = at
    if (peek() === 0x2d) at++
    if (peek() === 0x30) at++
    else if (isDigit(peek())) digits()
    else fail('in numeric literal')
    if (peek() === 0x2e) {
      at++
      if (!isDigit(peek())) fail('after decimal point in numeric literal')
      digits()
    }
    if (peek() === 0x65 || peek() === 0x45) {
      at++
      if (peek() === 0x2b || peek() === 0x2d) at++
      if (!isDigit(peek())) fail('in exponent of numeric literal')
      digits()
    }
    const literal = bytes.toString('latin1', start, at)
    const value = Number(literal)
    if (/^-?\d+$/.test(literal)) {
      if (Number.isSafeInteger(value)) return { value: value === 0 ? 0 : value }
      const exact = integerOf(literal)
      return inInt64(exact) ? { value: exact } : { value, literal }
    }
    if (!Number.isFinite(value)) tooLarge ??= literal
    return { value, literal }
  }
  const readWord = (word: string, value: Json): Json => {
    for (let n = 1; n < word.length; n++) {
      at++
      if (peek() !== word.charCodeAt(n)) fail(`in literal ${word} (expecting '${word[n]}')`)
    }
    at++
    return value
  }
  const put = (value: Json, literal?: string): void => {
    const top = stack.at(-1)
    if (top === undefined) root = value
    else if (Array.isArray(top.container)) {
      if (literal !== undefined) note(top.container, String(top.container.length), literal, value)
      top.container.push(value)
    } else {
      if (literal !== undefined) note(top.container, top.key, literal, value)
      else if (odd) setWholeFloat(top.container, top.key, false)
      top.entries?.push([top.key, value])
      setMember(top.container, top.key, value)
    }
  }
  const note = (container: object, key: string, literal: string, value: Json): void => {
    odd = true
    setWholeFloat(container, key, Number.isSafeInteger(value))
    const known = literals.get(container)
    if (known) known.set(key, literal)
    else literals.set(container, new Map([[key, literal]]))
  }
  const path = (): string => {
    let out = ''
    for (const { container, key } of stack) out += Array.isArray(container) ? `[${container.length}]` : out === '' ? key : `.${key}`
    return out
  }
  const open = (container: JsonObject | Json[]): void => {
    if (stack.length >= maxDepth) fail('exceeded max depth')
    at++
    stack.push({ container, entries: Array.isArray(container) ? undefined : [], key: '', repeated: false })
  }
  const close = (): void => {
    at++
    const frame = stack.pop() as Frame
    if (frame.repeated) repeated.set(frame.container, frame.entries as [string, Json][])
    put(frame.container)
  }
  const readKey = (frame: Frame): void => {
    skipSpace()
    ended()
    if (peek() !== QUOTE) fail('looking for beginning of object key string')
    frame.key = readString()
    if (Object.hasOwn(frame.container, frame.key)) {
      frame.repeated = true
      duplicates.push(path())
    }
    skipSpace()
    ended()
    if (peek() !== 0x3a) fail('after object key')
    at++
  }
  /** Reads a scalar, or opens a container and answers false. */
  const readValue = (): boolean => {
    skipSpace()
    ended()
    const c = peek()
    if (c === QUOTE) {
      const from = at
      const value = readString()
      put(value, oddText(value, from))
    } else if (c === 0x2d || isDigit(c)) {
      const { value, literal } = readNumber()
      put(value, literal)
    } else if (c === 0x74) put(readWord('true', true))
    else if (c === 0x66) put(readWord('false', false))
    else if (c === 0x6e) put(readWord('null', null))
    else if (c === 0x7b) {
      open({})
      skipSpace()
      if (peek() === 0x7d && at < bytes.length) close()
      else {
        readKey(stack.at(-1) as Frame)
        return false
      }
    } else if (c === 0x5b) {
      open([])
      skipSpace()
      if (peek() === 0x5d && at < bytes.length) close()
      else return false
    } else fail('looking for beginning of value')
    return true
  }

  for (let values = 1; ; values++) {
    if (values % STEP === 0) yield
    if (!readValue()) continue
    // A value has ended: so may its containers.
    let more = false
    while (stack.length > 0 && !more) {
      skipSpace()
      ended()
      const frame = stack.at(-1) as Frame
      const c = peek()
      if (c === 0x2c) {
        at++
        more = true
        if (!Array.isArray(frame.container)) readKey(frame)
      } else if (Array.isArray(frame.container)) {
        if (c !== 0x5d) fail('after array element')
        close()
      } else {
        if (c !== 0x7d) fail('after object key:value pair')
        close()
      }
    }
    if (!more) break
  }
  skipSpace()
  if (at < bytes.length) fail('after top-level value')
  const extra: { tooLarge?: string } = {}
  if (tooLarge !== undefined) extra.tooLarge = tooLarge
  return {
    value: root,
    duplicates,
    ...(odd ? { literals } : {}),
    ...(repeated.size > 0 && { repeated }),
    ...extra,
  }
}

const isSpace = (c: number): boolean => c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09
const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39

/** A byte in single quotes, read as Latin-1. */
function quoteByte(byte: number): string {
  const char = String.fromCharCode(byte)
  if (char === "'") return "'\\''"
  if (char === '"') return `'"'`
  return `'${quote(char).slice(1, -1)}'`
}
