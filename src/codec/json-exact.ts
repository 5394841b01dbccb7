import type { Json, JsonObject } from '../api/meta/object.ts'
import { inInt64, parseInteger } from '../lib/integer.ts'
import type { Steps } from '../lib/steps.ts'
import { setMember } from '../meta/equal.ts'
import { setWholeFloat } from '../meta/whole-floats.ts'
import type { Literals, Repeated } from '../schema/diagnose.ts'
import { writeString } from '../schema/json-text.ts'
import { beginsNumber, JsonScanner } from './json-scanner.ts'

/** A parsed JSON text, with what the value alone does not show. */
export interface ParsedJson {
  readonly value: Json
  /**
   * Paths (`spec.ports[0].name`) of members that are repeated in their object, each once and at most 100, in the order
   * of the text. The last occurrence counts.
   */
  readonly duplicates: string[]
  /** Literals of numbers whose fraction or exponent the value has lost (`1.0`). Omitted if there are none. */
  readonly literals?: Literals
  /** Members, in order and with repetitions, of each object that has repeated members. Omitted if there are none. */
  readonly repeated?: Repeated
  /** First literal that exceeds float64 (`1e400`). An error unless the member is ignored. */
  readonly tooLarge?: string
}

/** Nesting limit of Go's encoding/json. */
const MAX_DEPTH = 10_000

/** A container whose end has not been read. */
interface ContainerFrame {
  readonly container: JsonObject | Json[]
  /** Members of an object, in order and with repetitions. Undefined for a list. */
  readonly entries: [string, Json][] | undefined
  /** Key of the object's member that is being read. */
  key: string
  /** Repeated keys. Undefined if there are none. */
  repeated: Set<string> | undefined
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
/** `true`, `false` and `null` by first letter. */
const WORDS: ReadonlyMap<number, { readonly text: string; readonly value: Json }> = new Map([
  [0x74, { text: 'true', value: true }],
  [0x66, { text: 'false', value: false }],
  [0x6e, { text: 'null', value: null }],
])
/** Limits of one step in values and bytes. */
const STEP = 4096
const STEP_BYTES = 64 * 1024
/** Limit on reported repeated members, as in sigs.k8s.io/json. A path is as long as the text is deep. */
const MOST_DUPLICATES = 100

/** Limits on the content of a text. */
export interface ParseBounds {
  /** Values at every depth, including lists and objects. */
  readonly values: number
  /** Members of one object. Listing a hundred thousand takes many milliseconds and cannot be interrupted. */
  readonly members: number
}

const UNBOUNDED: ParseBounds = { values: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY }

/** A text that holds more values than its reader accepts. */
export class TooManyValuesError extends Error {
  override readonly name = 'TooManyValuesError'
}

/**
 * Parses byte by byte, in steps, and reports what JSON.parse loses: repeated members, exact numbers, Go's errors.
 * `withTexts`: `literals` also has strings and `-0` that Go would write differently. Throws JsonSyntaxError, and
 * TooManyValuesError if the text exceeds `bounds`.
 */
export function* parseExactlyInSteps(
  bytes: Buffer,
  withTexts = false,
  { values: mostValues, members }: ParseBounds = UNBOUNDED,
): Steps<ParsedJson> {
  const parser = new ExactParser(bytes, withTexts, members)
  let next = STEP_BYTES
  for (let values = 1; parser.readNext(); values++) {
    if (values >= mostValues) throw new TooManyValuesError(`the text holds more than ${mostValues} values`)
    if (values % STEP !== 0 && parser.at < next) continue
    next = parser.at + STEP_BYTES
    yield
  }
  return parser.finish()
}

/** An integer in Go, which writes it as 0. */
const MINUS_ZERO = '-0'

class ExactParser {
  readonly #scanner: JsonScanner
  readonly #withTexts: boolean
  readonly #mostMembers: number
  /** Open containers, innermost last. */
  readonly #stack: ContainerFrame[] = []
  readonly #duplicates: string[] = []
  readonly #literals: Literals = new WeakMap()
  readonly #repeated = new Map<object, [string, Json][]>()
  /** Whether `literals` has entries. */
  #hasLiterals = false
  #tooLarge: string | undefined
  #root: Json = null

  constructor(bytes: Buffer, withTexts: boolean, mostMembers: number) {
    this.#scanner = new JsonScanner(bytes)
    this.#withTexts = withTexts
    this.#mostMembers = mostMembers
  }

  /** Offset of the next byte. */
  get at(): number {
    return this.#scanner.at
  }

  /** Reads one value or opens one container. Returns false after the last value of the text. */
  readNext(): boolean {
    return !this.#readValue() || this.#readSeparators()
  }

  /** Returns the result. Throws if anything but white space follows the value. */
  finish(): ParsedJson {
    const scanner = this.#scanner
    const tooLarge = this.#tooLarge
    scanner.skipSpace()
    if (!scanner.isAtEnd) scanner.fail('after top-level value')
    return {
      value: this.#root,
      duplicates: this.#duplicates,
      ...(this.#hasLiterals && { literals: this.#literals }),
      ...(this.#repeated.size > 0 && { repeated: this.#repeated }),
      ...(tooLarge !== undefined && { tooLarge }),
    }
  }

  /** Reads a scalar or an empty container and returns true, or opens a container and returns false. */
  #readValue(): boolean {
    const scanner = this.#scanner
    scanner.skipSpace()
    scanner.expectMore()
    const byte = scanner.peek()
    if (byte === QUOTE) this.#readText()
    else if (beginsNumber(byte)) this.#readNumber()
    else if (byte === OPEN_BRACE) return this.#openObject()
    else if (byte === OPEN_BRACKET) return this.#openArray()
    else this.#readWord(byte)
    return true
  }

  /** Closes the containers that end after a value and advances to the next value. Returns false if there is none. */
  #readSeparators(): boolean {
    const scanner = this.#scanner
    const stack = this.#stack
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      scanner.skipSpace()
      scanner.expectMore()
      const isArray = Array.isArray(frame.container)
      if (scanner.peek() === COMMA) {
        scanner.at++
        if (!isArray) this.#readKey(frame)
        return true
      }
      if (scanner.peek() !== (isArray ? CLOSE_BRACKET : CLOSE_BRACE))
        scanner.fail(isArray ? 'after array element' : 'after object key:value pair')
      this.#close(frame)
    }
    return false
  }

  /** Reads a string. Keeps its literal if `withTexts` is set and Go would escape it differently. */
  #readText(): void {
    const from = this.#scanner.at
    const value = this.#scanner.readString()
    const written = this.#withTexts ? this.#scanner.writtenSince(from) : ''
    this.#put(value, this.#withTexts && written !== writeString(value) ? written : undefined)
  }

  /**
   * Reads a number. A 64-bit integer stays exact; of other numbers the literal is kept if the value does not determine
   * it.
   */
  #readNumber(): void {
    const literal = this.#scanner.readNumber()
    const value = Number(literal)
    if (!/^-?\d+$/.test(literal)) {
      if (!Number.isFinite(value)) this.#tooLarge ??= literal
      this.#put(value, literal)
    } else if (value === 0) this.#put(0, this.#withTexts && literal === MINUS_ZERO ? literal : undefined)
    else if (Number.isSafeInteger(value)) this.#put(value, undefined)
    else {
      const exact = parseInteger(literal)
      if (inInt64(exact)) this.#put(exact, undefined)
      else this.#put(value, literal)
    }
  }

  /** Reads `true`, `false` or `null` by its first letter. */
  #readWord(first: number): void {
    const word = WORDS.get(first)
    if (word === undefined) this.#scanner.fail('looking for beginning of value')
    this.#scanner.readWord(word.text)
    this.#put(word.value, undefined)
  }

  /** Opens an object and reads its first key. If the object is empty, closes it and returns true. */
  #openObject(): boolean {
    const frame = this.#open({}, [])
    if (this.#closesAtOnce(frame, CLOSE_BRACE)) return true
    this.#readKey(frame)
    return false
  }

  #openArray(): boolean {
    return this.#closesAtOnce(this.#open([], undefined), CLOSE_BRACKET)
  }

  #open(container: JsonObject | Json[], entries: [string, Json][] | undefined): ContainerFrame {
    if (this.#stack.length >= MAX_DEPTH) this.#scanner.fail('exceeded max depth')
    this.#scanner.at++
    const frame = { container, entries, key: '', repeated: undefined }
    this.#stack.push(frame)
    return frame
  }

  /** Closes a container if its end follows. Returns whether it did. */
  #closesAtOnce(frame: ContainerFrame, end: number): boolean {
    const scanner = this.#scanner
    scanner.skipSpace()
    if (scanner.peek() !== end) return false
    this.#close(frame)
    return true
  }

  /** Closes the innermost container and adds it to its parent. */
  #close({ container, entries, repeated }: ContainerFrame): void {
    this.#scanner.at++
    this.#stack.pop()
    if (repeated !== undefined && entries !== undefined) this.#repeated.set(container, entries)
    this.#put(container, undefined)
  }

  /** Reads a key and its colon, and records a repeated key. Throws TooManyValuesError above the limit on members. */
  #readKey(frame: ContainerFrame): void {
    const scanner = this.#scanner
    scanner.skipSpace()
    scanner.expectMore()
    if (scanner.peek() !== QUOTE) scanner.fail('looking for beginning of object key string')
    frame.key = scanner.readString()
    if (frame.entries !== undefined && frame.entries.length >= this.#mostMembers)
      throw new TooManyValuesError(`an object holds more than ${this.#mostMembers} members`)
    if (Object.hasOwn(frame.container, frame.key)) {
      frame.repeated ??= new Set()
      if (this.#duplicates.length < MOST_DUPLICATES && !frame.repeated.has(frame.key)) this.#duplicates.push(this.#path())
      frame.repeated.add(frame.key)
    }
    scanner.skipSpace()
    scanner.expectMore()
    if (scanner.peek() !== COLON) scanner.fail('after object key')
    scanner.at++
  }

  /** Adds a value to the innermost container. `literal`: its text, if the value does not determine it. */
  #put(value: Json, literal: string | undefined): void {
    const top = this.#stack.at(-1)
    if (top === undefined) this.#root = value
    else if (Array.isArray(top.container)) {
      if (literal !== undefined) this.#note(top.container, String(top.container.length), literal, value)
      top.container.push(value)
    } else {
      if (literal !== undefined) this.#note(top.container, top.key, literal, value)
      else if (this.#hasLiterals) setWholeFloat(top.container, top.key, undefined)
      top.entries?.push([top.key, value])
      setMember(top.container, top.key, value)
    }
  }

  /** Records the literal of a member. */
  #note(container: object, key: string, literal: string, value: Json): void {
    this.#hasLiterals = true
    setWholeFloat(container, key, Number.isSafeInteger(value) && literal !== MINUS_ZERO ? literal : undefined)
    const known = this.#literals.get(container)
    if (known) known.set(key, literal)
    else this.#literals.set(container, new Map([[key, literal]]))
  }

  /** Path of the member that is being read, as field validation writes it. */
  #path(): string {
    let out = ''
    for (const { container, key } of this.#stack) out += Array.isArray(container) ? `[${container.length}]` : out === '' ? key : `.${key}`
    return out
  }
}
