import { isStepDone, type Steps } from '../lib/steps.ts'
import type { Source } from './source.ts'

/** Punctuation and key words stand for themselves; the rest are classes, named as cel-go's grammar names them in errors. */
export interface Token {
  readonly type: string
  readonly text: string
  /** Offsets in code points: the first, and the one after the last. */
  readonly start: number
  readonly stop: number
}

/** A run of characters that begins no token. */
interface LexerFault {
  readonly start: number
  readonly stop: number
}

/** A source in tokens, of which the last is its end. */
export interface Tokens {
  readonly tokens: readonly Token[]
  readonly faults: readonly LexerFault[]
}

/** Names of classes, as errors print them. */
export const EOF = '<EOF>'
export const IDENTIFIER = 'IDENTIFIER'
export const ESC_IDENTIFIER = 'ESC_IDENTIFIER'

/** In the order of cel-go's grammar, which is the order in which an error lists what it expected. */
export const TOKEN_ORDER: readonly string[] = [
  ...[EOF, '==', '!=', 'in', '<', '<=', '>=', '>', '&&', '||', '[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':', '+', '*', '/', '%'],
  ...['true', 'false', 'null', 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', IDENTIFIER, ESC_IDENTIFIER],
]

/** Words that are tokens. Other reserved words are identifiers to the lexer, and refused by the parser. */
const KEYWORDS = new Set(['in', 'true', 'false', 'null'])
/** Punctuation of two characters, and of one. */
const TWO = new Set(['==', '!=', '<=', '>=', '&&', '||'])
const ONE = new Set('<>[]{}().,-!?:+*/%')
/** Number of hexadecimal digits that follow a letter behind a backslash. */
const HEX_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['X', 2],
  ['u', 4],
  ['U', 8],
])
/** Begin a token of two characters only. */
const HALVES = new Set('=&|')

/** Undefined stands for the end, which is no character of any class. */
const oneOf = (characters: string): ((point: string | undefined) => boolean) => {
  const set = new Set<string | undefined>(characters)
  return point => set.has(point)
}
const DIGITS = '0123456789'
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_'
const isBlank = oneOf('\t \r\n\f')
const isDigit = oneOf(DIGITS)
const isOctal = oneOf('01234567')
const isHex = oneOf(`${DIGITS}abcdefABCDEF`)
const isWordStart = oneOf(LETTERS)
const isWord = oneOf(LETTERS + DIGITS)
const isEscapedName = oneOf(`${LETTERS + DIGITS}.-/ `)
/** Letters that stand for a character behind a backslash. */
const isEscape = oneOf('abfnrtv"\'\\?`')
const isOneOf = (point: string | undefined, one: string, other: string): point is string => point === one || point === other
const isQuote = (point: string | undefined): point is string => isOneOf(point, '"', "'")

/** Where a scan stopped: behind a token, or before the character that fits none. */
interface Scan {
  readonly accepted: boolean
  readonly at: number
}

/** Reads a source into tokens, in steps of some hundred. Characters that begin no token become faults and are skipped, as in ANTLR's lexers. */
export const readTokens = (source: Source): Steps<Tokens> => new Lexer(source).read()

class Lexer implements Tokens {
  readonly tokens: Token[] = []
  readonly faults: LexerFault[] = []
  readonly #points: readonly string[]
  readonly #source: Source
  #at = 0

  /** Positions, by the quote, behind which no string in three such quotes ends. */
  readonly #endless = new Map<string, Uint8Array>()

  constructor(source: Source) {
    this.#source = source
    this.#points = source.points
  }

  *read(): Steps<Tokens> {
    while (this.#at < this.#points.length) {
      this.#next()
      if (isStepDone()) yield
    }
    this.tokens.push({ type: EOF, text: EOF, start: this.#points.length, stop: this.#points.length })
    return this
  }

  /** Skips blanks and comments, or reads one token. */
  #next(): void {
    const point = this.#points[this.#at] ?? ''
    if (isBlank(point)) {
      this.#at++
      return
    }
    if (point === '/' && this.#points[this.#at + 1] === '/') {
      while (this.#at < this.#points.length && this.#points[this.#at] !== '\n') this.#at++
      return
    }
    if (isDigit(point) || (point === '.' && isDigit(this.#points[this.#at + 1]))) this.#number()
    else if (isQuote(point)) this.#string('STRING', this.#at)
    else if (isWordStart(point)) this.#word()
    else if (point === '`') this.#escapedName()
    else this.#punctuation(point)
  }

  #token(type: string, stop: number): void {
    this.tokens.push({ type, text: this.#source.text(this.#at, stop), start: this.#at, stop })
    this.#at = stop
  }

  /** @param at of the character that fits nothing: it is left out as well. */
  #fault(at: number): void {
    this.faults.push({ start: this.#at, stop: at + 1 })
    this.#at = at + 1
  }

  /** Behind the last character of a run. */
  #digits(from: number, fits = isDigit): number {
    let at = from
    while (fits(this.#points[at])) at++
    return at
  }

  /** An `e` without digits is no exponent, but the beginning of a word. */
  #exponent(at: number): number {
    if (!isOneOf(this.#points[at], 'e', 'E')) return at
    const from = isOneOf(this.#points[at + 1], '+', '-') ? at + 2 : at + 1
    return isDigit(this.#points[from]) ? this.#digits(from) : at
  }

  /** `0x1F`, `12`, `1.5e3`, `.5`; a point without digits behind it is a selection. */
  #number(): void {
    if (this.#points[this.#at] === '0' && this.#points[this.#at + 1] === 'x' && isHex(this.#points[this.#at + 2])) {
      this.#integer(this.#digits(this.#at + 2, isHex))
      return
    }
    const whole = this.#digits(this.#at)
    const fraction = this.#points[whole] === '.' && isDigit(this.#points[whole + 1]) ? this.#digits(whole + 1) : whole
    const stop = this.#exponent(fraction)
    if (stop > whole) this.#token('NUM_FLOAT', stop)
    else this.#integer(whole)
  }

  /** A `u` behind it makes it a uint. */
  #integer(stop: number): void {
    if (isOneOf(this.#points[stop], 'u', 'U')) this.#token('NUM_UINT', stop + 1)
    else this.#token('NUM_INT', stop)
  }

  /** A word may turn out to be the prefix of a string. */
  #word(): void {
    const stop = this.#digits(this.#at, isWord)
    const prefix = this.#prefix()
    if (prefix) {
      const { type, quote } = prefix
      const scan = this.#scanString(quote, prefix.raw)
      if (scan.accepted) {
        this.#token(type, scan.at)
        return
      }
    }
    const text = this.#source.text(this.#at, stop)
    this.#token(KEYWORDS.has(text) ? text : IDENTIFIER, stop)
  }

  /** A quote behind `r`, `b` or `br`, in letters of either case. */
  #prefix(): { type: string; quote: number; raw: boolean } | undefined {
    const bytes = isOneOf(this.#points[this.#at], 'b', 'B')
    let quote = bytes ? this.#at + 1 : this.#at
    const raw = isOneOf(this.#points[quote], 'r', 'R')
    if (raw) quote++
    return isQuote(this.#points[quote]) && (bytes || raw) ? { type: bytes ? 'BYTES' : 'STRING', quote, raw } : undefined
  }

  #string(type: string, quote: number): void {
    const scan = this.#scanString(quote, false)
    if (scan.accepted) this.#token(type, scan.at)
    else this.#fault(scan.at)
  }

  /** The longest string that begins at a quote: three quotes count where a string in three ends. */
  #scanString(quote: number, raw: boolean): Scan {
    const mark = this.#points[quote] ?? ''
    const short = this.#scanQuoted(quote + 1, mark, 1, raw)
    if (this.#points[quote + 1] !== mark || this.#points[quote + 2] !== mark) return short
    const long = this.#scanQuoted(quote + 3, mark, 3, raw)
    return long.accepted ? long : short
  }

  /** A line break ends a string in single quotes; escapes count unless it is raw. */
  #scanQuoted(from: number, mark: string, quotes: 1 | 3, raw: boolean): Scan {
    const endless = quotes === 3 && !raw ? this.#endlessFrom(mark) : undefined
    for (let at = from; at < this.#points.length; at++) {
      if (endless?.[at]) return { accepted: false, at }
      if (endless) endless[at] = 1
      const point = this.#points[at] ?? ''
      if (point === mark && (quotes === 1 || (this.#points[at + 1] === mark && this.#points[at + 2] === mark))) {
        return { accepted: true, at: at + quotes }
      }
      if (quotes === 1 && (point === '\n' || point === '\r')) return { accepted: false, at }
      if (point !== '\\' || raw) continue
      const sequence = this.#scanEscape(at + 1)
      if (!sequence.accepted) return sequence
      at = sequence.at - 1
    }
    return { accepted: false, at: this.#points.length }
  }

  /** Escapes can hide many ends from many beginnings: a scan stops where an earlier one has found no end. */
  #endlessFrom(mark: string): Uint8Array {
    const endless = this.#endless.get(mark) ?? new Uint8Array(this.#points.length)
    this.#endless.set(mark, endless)
    return endless
  }

  /** What may stand behind a backslash. */
  #scanEscape(at: number): Scan {
    const point = this.#points[at]
    if (point === undefined) return { accepted: false, at }
    if (isEscape(point)) return { accepted: true, at: at + 1 }
    const length = HEX_LENGTHS.get(point)
    if (length !== undefined) return this.#scanRun(at + 1, length, isHex)
    return isOctal(point) && point <= '3' ? this.#scanRun(at + 1, 2, isOctal) : { accepted: false, at }
  }

  #scanRun(from: number, length: number, fits: (point: string | undefined) => boolean): Scan {
    for (let at = from; at < from + length; at++) if (!fits(this.#points[at])) return { accepted: false, at }
    return { accepted: true, at: from + length }
  }

  /** A name in backquotes: cel-go knows the token, and the parser refuses it. */
  #escapedName(): void {
    const at = this.#digits(this.#at + 1, isEscapedName)
    if (this.#points[at] === '`' && at > this.#at + 1) this.#token(ESC_IDENTIFIER, at + 1)
    else this.#fault(at)
  }

  #punctuation(point: string): void {
    const two = point + (this.#points[this.#at + 1] ?? '')
    if (TWO.has(two)) this.#token(two, this.#at + 2)
    else if (ONE.has(point)) this.#token(point, this.#at + 1)
    else this.#fault(HALVES.has(point) ? this.#at + 1 : this.#at)
  }
}
