import { isStepDone, type Steps } from '../lib/steps.ts'
import type { Source } from './source.ts'

/**
 * A token. The type of punctuation and keywords is their text; other types have the names of cel-go's grammar, which
 * errors print.
 */
export interface Token {
  readonly type: string
  readonly text: string
  /** Offset of the first code point, and the exclusive end. */
  readonly start: number
  readonly stop: number
}

/** A run of characters that begins no token. */
interface LexerFault {
  readonly start: number
  readonly stop: number
}

/** Tokens of a source. The last one is `<EOF>`. */
export interface Tokens {
  readonly tokens: readonly Token[]
  readonly faults: readonly LexerFault[]
}

/** Names of token classes, as errors print them. */
export const EOF = '<EOF>'
/** Reserved words are identifiers to the lexer. */
export const IDENTIFIER = 'IDENTIFIER'
export const ESC_IDENTIFIER = 'ESC_IDENTIFIER'

/** Token types in the order of cel-go's grammar. Errors list expected tokens in this order. */
export const TOKEN_ORDER: readonly string[] = [
  ...[
    EOF,
    '==',
    '!=',
    'in',
    '<',
    '<=',
    '>=',
    '>',
    '&&',
    '||',
    '[',
    ']',
    '{',
    '}',
    '(',
    ')',
    '.',
    ',',
    '-',
    '!',
    '?',
    ':',
    '+',
    '*',
    '/',
    '%',
  ],
  ...['true', 'false', 'null', 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', IDENTIFIER, ESC_IDENTIFIER],
]

/** Keywords of the lexer. Other reserved words are read as identifiers and rejected by the parser. */
const KEYWORDS = new Set(['in', 'true', 'false', 'null'])
/** Punctuation of two characters and of one. */
const TWO = new Set(['==', '!=', '<=', '>=', '&&', '||'])
const ONE = new Set('<>[]{}().,-!?:+*/%')
/** Number of hexadecimal digits after each escape letter. */
const HEX_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['X', 2],
  ['u', 4],
  ['U', 8],
])
/** Characters that occur only as the beginning of a two-character token. */
const HALVES = new Set('=&|')

/** Returns a predicate for a class of characters. Undefined is the end of the source, which belongs to no class. */
const characterClass = (characters: string): ((point: string | undefined) => boolean) => {
  const set = new Set<string | undefined>(characters)
  return point => set.has(point)
}
const DIGITS = '0123456789'
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_'
const isBlank = characterClass('\t \r\n\f')
const isDigit = characterClass(DIGITS)
const isOctal = characterClass('01234567')
const isHex = characterClass(`${DIGITS}abcdefABCDEF`)
const isWordStart = characterClass(LETTERS)
const isWord = characterClass(LETTERS + DIGITS)
const isEscapedName = characterClass(`${LETTERS + DIGITS}.-/ `)
/** Letters of simple escapes such as `\n`. */
const isEscape = characterClass('abfnrtv"\'\\?`')
const isOneOf = (point: string | undefined, one: string, other: string): point is string => point === one || point === other
const isQuote = (point: string | undefined): point is string => isOneOf(point, '"', "'")

/** Result of a scan. `at` is the offset after the token, or of the character that does not fit. */
interface Scan {
  readonly accepted: boolean
  readonly at: number
}

/**
 * Splits a source into tokens, in steps of some hundred. Characters that begin no token are reported as faults and
 * skipped, as in ANTLR lexers.
 */
export const readTokens = (source: Source): Steps<Tokens> => new Lexer(source).read()

class Lexer implements Tokens {
  readonly tokens: Token[] = []
  readonly faults: LexerFault[] = []
  readonly #points: readonly string[]
  readonly #source: Source
  #at = 0

  /** Offsets from which a triple-quoted string is known to be unterminated, by quote character. */
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

  /** Skips whitespace and comments, or reads one token. */
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

  /** @param at offset of the character that does not fit. It is skipped with the characters before it. */
  #fault(at: number): void {
    this.faults.push({ start: this.#at, stop: at + 1 })
    this.#at = at + 1
  }

  /** Returns the offset after a run of characters. */
  #digits(from: number, fits = isDigit): number {
    let at = from
    while (fits(this.#points[at])) at++
    return at
  }

  /**
   * Returns the offset after an exponent. An `e` without digits is not an exponent but the beginning of an identifier.
   */
  #exponent(at: number): number {
    if (!isOneOf(this.#points[at], 'e', 'E')) return at
    const from = isOneOf(this.#points[at + 1], '+', '-') ? at + 2 : at + 1
    return isDigit(this.#points[from]) ? this.#digits(from) : at
  }

  /** Reads `0x1F`, `12`, `1.5e3` or `.5`. A dot without digits after it is a field selection. */
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

  /** A `u` suffix makes the literal a uint. */
  #integer(stop: number): void {
    if (isOneOf(this.#points[stop], 'u', 'U')) this.#token('NUM_UINT', stop + 1)
    else this.#token('NUM_INT', stop)
  }

  /** Reads an identifier, or a string with a prefix such as `r"…"`. */
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

  /** Returns the string prefix at the cursor: `r`, `b` or `br` in either case, followed by a quote. */
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

  /**
   * Returns the longest string that begins at a quote. Triple quotes are used only if the triple-quoted string is
   * terminated.
   */
  #scanString(quote: number, raw: boolean): Scan {
    const mark = this.#points[quote] ?? ''
    const short = this.#scanQuoted(quote + 1, mark, 1, raw)
    if (this.#points[quote + 1] !== mark || this.#points[quote + 2] !== mark) return short
    const long = this.#scanQuoted(quote + 3, mark, 3, raw)
    return long.accepted ? long : short
  }

  /**
   * Scans to the closing quote. A line break ends a string in single quotes; escapes are skipped unless the string is
   * raw.
   */
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

  /**
   * Returns the offsets from which the string is known to be unterminated. A scan stops at such an offset, so that many
   * quotes with escaped ends are scanned in linear time.
   */
  #endlessFrom(mark: string): Uint8Array {
    const endless = this.#endless.get(mark) ?? new Uint8Array(this.#points.length)
    this.#endless.set(mark, endless)
    return endless
  }

  /** Scans an escape after its backslash. */
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

  /** Reads a name in backquotes. cel-go's lexer accepts it, and its parser rejects it. */
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
