import { isUtf8 } from 'node:buffer'
import { quote } from '../lib/go-quote.ts'
import { decodeUtf8 } from './utf8.ts'

/** A text that is not JSON. The message is that of Go's scanner. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError'
}

const QUOTE = 0x22
const SPACE = 0x20
const BACKSLASH = 0x5c
const MINUS = 0x2d
const LETTER_U = 0x75
/** Characters that may follow a backslash, besides `u`. */
const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('bfnrt\\/"'))

/** Reads the tokens of a JSON text byte by byte. Throws JsonSyntaxError with the text of Go's scanner. */
export class JsonScanner {
  /** Offset of the next byte. */
  at = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length
  }

  /** Returns the next byte; a space at the end, like Go's scanner. */
  peek(): number {
    return this.at < this.#bytes.length ? (this.#bytes[this.at] ?? SPACE) : SPACE
  }

  /** Throws the error of Go's scanner for an unexpected byte. */
  fail(context: string): never {
    throw new JsonSyntaxError(`invalid character ${quoteByte(this.peek())} ${context}`)
  }

  skipSpace(): void {
    while (this.at < this.#bytes.length && isSpace(this.peek())) this.at++
  }

  /** Throws if the text has ended. */
  expectMore(): void {
    if (this.at >= this.#bytes.length) throw new JsonSyntaxError('unexpected end of JSON input')
  }

  /** Returns the text from an offset to the current one, as it was sent. */
  writtenSince(from: number): string {
    return this.#bytes.toString('utf8', from, this.at)
  }

  /**
   * Reads the string whose opening quote is next and decodes it. Invalid UTF-8 and lone surrogates become U+FFFD, as in
   * Go.
   */
  readString(): string {
    const bytes = this.#bytes
    const start = this.at++
    for (; ; this.at++) {
      this.expectMore()
      const byte = bytes[this.at] ?? 0
      if (byte === QUOTE) break
      if (byte < SPACE) this.fail('in string literal')
      if (byte === BACKSLASH) this.#skipEscape()
    }
    this.at++
    const slice = bytes.subarray(start, this.at)
    const text: string = JSON.parse(isUtf8(slice) ? slice.toString('utf8') : decodeUtf8(slice))
    return text.toWellFormed()
  }

  /** Advances to the last byte of the escape whose backslash is next. */
  #skipEscape(): void {
    this.at++
    const letter = this.peek()
    if (letter === LETTER_U) {
      for (let n = 0; n < 4; n++) {
        this.at++
        if (!isHexDigit(this.peek())) this.fail('in \\u hexadecimal character escape')
      }
    } else if (!ESCAPED.has(letter)) this.fail('in string escape code')
  }

  /** Reads a number and returns its literal. */
  readNumber(): string {
    const start = this.at
    if (this.peek() === MINUS) this.at++
    if (this.peek() === 0x30) this.at++
    else if (isDigit(this.peek())) this.#skipDigits()
    else this.fail('in numeric literal')
    if (this.peek() === 0x2e) {
      this.at++
      if (!isDigit(this.peek())) this.fail('after decimal point in numeric literal')
      this.#skipDigits()
    }
    if (this.peek() === 0x65 || this.peek() === 0x45) {
      this.at++
      if (this.peek() === 0x2b || this.peek() === MINUS) this.at++
      if (!isDigit(this.peek())) this.fail('in exponent of numeric literal')
      this.#skipDigits()
    }
    return this.#bytes.toString('latin1', start, this.at)
  }

  #skipDigits(): void {
    while (isDigit(this.peek())) this.at++
  }

  /** Reads the rest of a word whose first letter is next. */
  readWord(word: string): void {
    for (let n = 1; n < word.length; n++) {
      this.at++
      if (this.peek() !== word.charCodeAt(n)) this.fail(`in literal ${word} (expecting '${word[n]}')`)
    }
    this.at++
  }
}

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const isHexDigit = (byte: number): boolean => isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39

/** Whether a number can begin with the byte. */
export const beginsNumber = (byte: number): boolean => byte === MINUS || isDigit(byte)

/** Quotes a byte in single quotes, read as Latin-1. */
function quoteByte(byte: number): string {
  const char = String.fromCharCode(byte)
  if (char === "'") return "'\\''"
  if (char === '"') return `'"'`
  return `'${quote(char).slice(1, -1)}'`
}
