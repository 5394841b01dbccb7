import type { YamlCursor } from './yaml-cursor.ts'
import { endLine } from './yaml-scan-values.ts'

/* Scanners for scalars, whose text they decode. Each leaves the cursor after the scalar and throws YamlProblem. Source: scannerc.go in sigs.k8s.io/yaml/goyaml.v2. */

/** Continues a scan. Undefined if it has not ended yet: a scalar may have a million lines. */
export type ScalarScan<T> = () => T | undefined

/** Lines or words that are scanned in one call. */
const PART = 2048

const DIGIT = /^[0-9]$/
const HEX = /^[0-9A-Fa-f]$/

/** A text that is collected in pieces. They are joined part by part, so that no call joins them all. */
class Pieces {
  #joined = ''
  #pieces: string[] = []

  add(piece: string): void {
    if (piece === '') return
    if (this.#pieces.push(piece) < PART) return
    this.#joined += this.#pieces.join('')
    this.#pieces = []
  }

  toString(): string {
    return this.#joined + this.#pieces.join('')
  }
}

/** Reads a break after the first one. */
function addBreak(breaks: Pieces | undefined, cursor: YamlCursor): Pieces {
  const pieces = breaks ?? new Pieces()
  pieces.add(cursor.readBreak())
  return pieces
}

/**
 * Returns what the breaks between two lines become: the first line feed is a blank, or nothing before further breaks.
 */
const fold = (lead: string, breaks: Pieces | undefined): string =>
  lead !== '\n' ? `${lead}${breaks ?? ''}` : breaks === undefined ? ' ' : `${breaks}`

type Chomping = '+' | '-' | undefined

/**
 * Scans a literal or folded scalar and returns its text. `around`: column of the enclosing collection, -1 at the root.
 */
export function scanBlockScalar(cursor: YamlCursor, around: number): ScalarScan<string> {
  const isLiteral = cursor.char === '|'
  cursor.skip()
  const { increment, chomping } = scanIndicators(cursor)
  endLine(cursor)
  const wanted = increment > 0 ? Math.max(around, 0) + increment : 0
  const text = new Pieces()
  let indent: number | undefined
  let widest = 0
  let lead = ''
  let breaks: Pieces | undefined
  let wasBlank = false
  return () => {
    for (let left = PART; left > 0; left--) {
      widest = Math.max(widest, skipIndent(cursor, indent ?? wanted))
      if (cursor.isBreak()) {
        breaks = addBreak(breaks, cursor)
        continue
      }
      indent ??= wanted === 0 ? Math.max(widest, around + 1, 1) : wanted
      if (cursor.column !== indent || cursor.isEnd()) return `${text}${chomping === '-' ? '' : lead}${(chomping === '+' && breaks) || ''}`
      const isBlank = cursor.isBlank()
      text.add(isLiteral || wasBlank || isBlank ? `${lead}${breaks ?? ''}` : fold(lead, breaks))
      const start = cursor.at
      cursor.skipToBreak()
      text.add(cursor.textFrom(start))
      lead = cursor.readBreak()
      breaks = undefined
      wasBlank = isBlank
    }
    return undefined
  }
}

/**
 * Scans the chomping indicator `+` or `-` and the indentation, in any order. The indentation is 0 if it is not given.
 */
function scanIndicators(cursor: YamlCursor): { readonly increment: number; readonly chomping: Chomping } {
  const scanChomping = (): Chomping => {
    const { char } = cursor
    if (char !== '+' && char !== '-') return undefined
    cursor.skip()
    return char
  }
  const chomping = scanChomping()
  if (!DIGIT.test(cursor.char)) return { increment: 0, chomping }
  if (cursor.char === '0') cursor.fail('found an indentation indicator equal to 0')
  const increment = Number(cursor.char)
  cursor.skip()
  return { increment, chomping: chomping ?? scanChomping() }
}

/**
 * Skips the indentation of a line. `wanted`: indentation of the scalar, 0 if its first line determines it. Returns the
 * column.
 */
function skipIndent(cursor: YamlCursor, wanted: number): number {
  while ((wanted === 0 || cursor.column < wanted) && cursor.char === ' ') cursor.skip()
  if ((wanted === 0 || cursor.column < wanted) && cursor.char === '\t')
    cursor.fail('found a tab character where an indentation space is expected')
  return cursor.column
}

/** Scans a quoted scalar and returns its text. */
export function scanQuoted(cursor: YamlCursor, quote: "'" | '"'): ScalarScan<string> {
  cursor.skip()
  const text = new Pieces()
  /** Characters that end the scalar or begin an escape. */
  const special = quote === '"' ? ([0x22, 0x5c] as const) : ([0x27, 0x27] as const)
  /** Range that is taken as it is, up to the last word. */
  let [from, end] = [cursor.at, cursor.at]
  /** First break after the last word. Empty if it is escaped. */
  let lead: string | undefined
  let breaks: Pieces | undefined
  return () => {
    for (let left = PART; left > 0; left--) {
      if (cursor.isBlank()) cursor.skipBlanks()
      else if (cursor.isBreak()) {
        if (lead !== undefined) breaks = addBreak(breaks, cursor)
        else {
          text.add(cursor.textFrom(from, end))
          lead = cursor.readBreak()
        }
      } else {
        if (cursor.documentMark() !== undefined) cursor.fail('found unexpected document indicator')
        if (cursor.isEnd()) cursor.fail('found unexpected end of stream')
        if (lead !== undefined) {
          text.add(fold(lead, breaks))
          from = cursor.at
          lead = undefined
          breaks = undefined
        }
        cursor.skipQuotedWord(special[0], special[1])
        end = cursor.at
        if (cursor.isBlankOrEnd()) continue
        text.add(cursor.textFrom(from))
        if (cursor.char === quote && (quote === '"' || cursor.charAt(1) !== "'")) {
          cursor.skip()
          return text.toString()
        }
        if (cursor.char !== "'" && cursor.isBreak(1)) lead = ''
        text.add(scanEscape(cursor))
        from = cursor.at
        end = from
      }
    }
    return undefined
  }
}

/** Number of hexadecimal digits of each numeric escape. */
const ESCAPED_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
])
/** Characters of the other escapes. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['N', '\u0085'],
  ['_', '\u00a0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
])

/**
 * Scans an escape and returns its text: two single quotes, a backslash with its code, or a backslash before a line
 * break, which has none.
 */
function scanEscape(cursor: YamlCursor): string {
  if (cursor.char === "'") {
    cursor.skip()
    cursor.skip()
    return "'"
  }
  if (cursor.isBreak(1)) {
    cursor.skip()
    cursor.skipLine()
    return ''
  }
  const code = cursor.charAt(1)
  const digits = ESCAPED_DIGITS.get(code) ?? 0
  const char = ESCAPES.get(code)
  if (digits === 0 && char === undefined) cursor.fail('found unknown escape character')
  cursor.skip()
  cursor.skip()
  if (char !== undefined) return char
  let value = 0
  for (let i = 0; i < digits; i++) {
    if (!HEX.test(cursor.charAt(i))) cursor.fail('did not find expected hexdecimal number')
    value = value * 16 + Number.parseInt(cursor.charAt(i), 16)
  }
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) cursor.fail('found invalid Unicode character escape code')
  for (let i = 0; i < digits; i++) cursor.skip()
  return String.fromCodePoint(value)
}

/** A plain scalar. `endsLine`: whether a line break follows it. */
export interface PlainScalar {
  readonly text: string
  readonly endsLine: boolean
}

/** Scans a plain scalar whose continuation lines are indented by at least `indent`. */
export function scanPlain(cursor: YamlCursor, indent: number, inFlow: boolean): ScalarScan<PlainScalar> {
  const text = new Pieces()
  /** Range of the words of a line. */
  let [from, end] = [cursor.at, cursor.at]
  let lead: string | undefined
  let breaks: Pieces | undefined
  const scanned = (): PlainScalar => {
    if (lead === undefined) text.add(cursor.textFrom(from, end))
    return { text: text.toString(), endsLine: lead !== undefined }
  }
  return () => {
    for (let left = PART; left > 0; left--) {
      if (cursor.isBreak()) {
        if (lead !== undefined) breaks = addBreak(breaks, cursor)
        else {
          text.add(cursor.textFrom(from, end))
          lead = cursor.readBreak()
        }
      } else if (cursor.isBlank()) {
        if (lead !== undefined) skipLeadingBlanks(cursor, indent)
        else cursor.skipBlanks()
      } else {
        const start = cursor.at
        const ends = (start > end && !inFlow && cursor.column < indent) || cursor.documentMark() !== undefined || cursor.char === '#'
        if (ends) return scanned()
        cursor.skipPlainWord(inFlow)
        if (cursor.at === start) return scanned()
        if (lead !== undefined) {
          text.add(fold(lead, breaks))
          from = start
          lead = undefined
          breaks = undefined
        }
        end = cursor.at
        if (!cursor.isBlank() && !cursor.isBreak()) return scanned()
      }
    }
    return undefined
  }
}

/** Skips the blanks at the beginning of a line. Tabs cannot indent it. */
function skipLeadingBlanks(cursor: YamlCursor, indent: number): void {
  for (; cursor.isBlank(); cursor.skip())
    if (cursor.column < indent && cursor.char === '\t') cursor.fail('found a tab character that violates indentation')
}
