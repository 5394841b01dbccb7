import type { Json, JsonObject } from '../api/meta/object.ts'
import { isStepDone, runAtOnce, type Steps, sortInSteps } from '../lib/steps.ts'
import { isWide, memberNames, namesOf } from '../lib/wide-objects.ts'
import { failure } from '../meta/status.ts'
import { staysText } from './yaml-scalar.ts'

/**
 * Limit on the indentation of one text in blanks. An object of 60 KB with values nested 9,000 levels deep has 240 MB of
 * them.
 */
const MOST_BLANKS = 32 * 1024 * 1024
/** Blanks that end a step. */
const STEP_BLANKS = 256 * 1024

/** Lines of the current step. */
interface Lines {
  readonly parts: string[]
  /** Blanks written as indentation in this step, and in all. */
  stepBlanks: number
  blanks: number
}

/**
 * Marshals a value like sigs.k8s.io/yaml: block style, keys in natural order, lists not indented below their key, and
 * texts quoted that would be read as another type.
 */
export const yamlBytes = (value: Json): Buffer => Buffer.concat(runAtOnce(yamlInSteps(value)))

/**
 * Like `yamlBytes`, for a value of any size. A step makes one buffer of some hundred lines. Throws 406 for values that
 * are nested too deeply.
 */
export function* yamlInSteps(value: Json): Steps<Buffer[]> {
  const buffers: Buffer[] = []
  const lines: Lines = { parts: [], stepBlanks: 0, blanks: 0 }
  const { parts } = lines
  const writing = writeNode(lines, value, 0, 'root')
  for (;;) {
    const { done } = writing.next()
    lines.stepBlanks = 0
    const text = parts.join('')
    // The last line stays until it ends, because folding needs its column.
    const end = done ? text.length : text.lastIndexOf('\n') + 1
    if (end > 0) buffers.push(Buffer.from(text.slice(0, end)))
    parts.length = 0
    parts.push(text.slice(end))
    if (done) return buffers
    yield
  }
}

const isFull = ({ stepBlanks }: Lines): boolean => isStepDone() || stepBlanks > STEP_BLANKS

/** Counts blanks before they are written. Throws 406 above the limit. */
function countBlanks(lines: Lines, count: number): void {
  lines.stepBlanks += count
  lines.blanks += count
  if (lines.blanks > MOST_BLANKS)
    throw failure(406, 'NotAcceptable', 'the object is nested too deeply to be indented as YAML: ask for application/json')
}

/**
 * Position of a node: at the left end of a line, after `key:`, or after the dash of a list item or the colon of a long
 * key.
 */
type NodePosition = 'root' | 'value' | 'item'

/** Number of keys from which listing them takes milliseconds. */
const MANY_KEYS = 4096

/**
 * Writes a node and the end of its last line. `indent`: column of the node's own lines. `names`: the keys of an object,
 * if they are known.
 */
function* writeNode(lines: Lines, value: Json, indent: number, place: NodePosition, names?: readonly string[]): Steps<void> {
  const gap = place === 'root' ? '' : ' '
  if (Array.isArray(value)) {
    if (value.length === 0) lines.parts.push(gap, '[]\n')
    else yield* writeList(lines, value, indent, place)
  } else if (typeof value === 'object' && value !== null) {
    const listed = names ?? (yield* memberNames(value))
    if (listed.length > MANY_KEYS) yield
    const keys = listed.filter(key => value[key] !== undefined)
    if (keys.length === 0) lines.parts.push(gap, '{}\n')
    else yield* writeMap(lines, value, yield* sortInSteps(keys, naturalOrder), indent, place)
  } else writeScalar(lines, value, indent, gap)
}

const NO_STEPS: readonly undefined[] = []

const isContainer = (value: Json): value is Json[] | JsonObject => typeof value === 'object' && value !== null

/**
 * Writes a list or an object below a key or a dash. Empty objects are the most frequent ones in managed fields, and
 * need no generator.
 */
function writeBelow(lines: Lines, value: Json[] | JsonObject, indent: number, place: NodePosition): Steps<void> | undefined {
  const names = Array.isArray(value) || isWide(value) ? undefined : namesOf(value)
  if (names?.length !== 0) return writeNode(lines, value, indent, place, names)
  lines.parts.push(' {}\n')
  return undefined
}

function writeScalar(lines: Lines, value: null | boolean | number | bigint | string, indent: number, gap: string): void {
  lines.parts.push(gap, typeof value === 'string' ? stringText(lines, value, indent, gap.length) : yamlScalar(value), '\n')
}

/** `place`: whether the list follows a key, a dash or nothing, which decides on the first line and the indentation. */
function* writeList(lines: Lines, items: readonly Json[], indent: number, place: NodePosition): Steps<void> {
  // A list below a key is not indented: its dashes are aligned with the key.
  const at = place === 'value' ? indent - 2 : indent
  let isFirst = true
  for (const item of items) {
    if (isFull(lines)) yield
    startLine(lines, at, isFirst ? place : 'root')
    isFirst = false
    lines.parts.push('-')
    if (isContainer(item)) yield* writeBelow(lines, item, at + 2, 'item') ?? NO_STEPS
    else writeScalar(lines, item, at + 2, ' ')
  }
}

/** Writes a mapping. A key with line breaks or of more than 128 bytes is written in the form `? key`. */
function* writeMap(lines: Lines, object: JsonObject, keys: readonly string[], indent: number, place: NodePosition): Steps<void> {
  let isFirst = true
  for (const key of keys) {
    if (isFull(lines)) yield
    startLine(lines, indent, isFirst ? place : 'root')
    isFirst = false
    const value = object[key] ?? null
    const isLong = LINE_BREAK.test(key) || Buffer.byteLength(key) > 128
    if (isLong) {
      countBlanks(lines, indent)
      lines.parts.push('? ', stringText(lines, key, indent + 2, 2), '\n', ' '.repeat(indent), ':')
    } else lines.parts.push(stringText(lines, key, indent), ':')
    if (isContainer(value)) yield* writeBelow(lines, value, indent + 2, isLong ? 'item' : 'value') ?? NO_STEPS
    else writeScalar(lines, value, indent + 2, ' ')
  }
}

/** Begins the line of a member. The first member of a list item continues the line of the dash. */
function startLine(lines: Lines, indent: number, place: NodePosition): void {
  if (place === 'item') lines.parts.push(' ')
  else {
    countBlanks(lines, indent)
    lines.parts.push(place === 'value' ? '\n' : '', ' '.repeat(indent))
  }
}

const yamlScalar = (value: null | boolean | number | bigint): string => (typeof value === 'number' ? numberText(value) : String(value))

/**
 * Formats a number like strconv with format g: fractions have a two-digit exponent below 1e-4 and from 1e6. Whole
 * numbers within int64 or uint64 have all their digits, because go-yaml reads them as integers from the JSON that it
 * converts.
 */
function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value)
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  const integral = Number.isInteger(value) && value > -(2 ** 63) && value < 2 ** 64
  if (integral || (power >= -4 && power < 6)) return String(value)
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}

const LEADING_INDICATOR = /^[#,[\]{}&*!|>'"%@`]|^[-?:](?:[ \t\n\r\u0085\u2028\u2029]|$)|^---|^\.\.\./
const INNER_INDICATOR = /:(?:[ \t\n\r\u0085\u2028\u2029]|$)|[ \t\n\r\u0085\u2028\u2029]#/
const UNPRINTABLE = /[^\n\x20-\x7e\u00a0-\ufefe\uff00-\ufffd]/u

const LINE_BREAK = /[\n\r\u0085\u2028\u2029]/

/** Matches names, versions and paths, which most texts are. Words such as `yes` are left to `staysText`. */
const ORDINARY = /^[A-Za-z_][A-Za-z0-9_./-]{0,60}$/

/**
 * Writes a text, with continuation lines at column `indent`. `ahead`: number of columns still to be written before it;
 * undefined for a key, which stays on its line.
 */
function stringText(lines: Lines, text: string, indent: number, ahead?: number): string {
  if (ORDINARY.test(text) && staysText(text)) return text
  const special = UNPRINTABLE.test(text) || / [\n\u2028\u2029]/.test(text)
  if (text.includes('\n') && ahead !== undefined && !special && !text.endsWith(' ')) return literal(lines, text, Math.max(indent, 2))
  const fold = (written: string, style: 'plain' | 'single' | 'double'): string =>
    ahead === undefined || written.length + indent < BEST_WIDTH - 40
      ? written
      : folded(lines, written, { start: columnOf(lines.parts) + ahead, indent: Math.max(indent, 2), style })
  if (text.includes('\n') || special || LINE_BREAK.test(text) || !staysText(text)) return fold(doubleQuoted(text), 'double')
  if (text.startsWith(' ') || text.endsWith(' ') || LEADING_INDICATOR.test(text) || INNER_INDICATOR.test(text))
    return fold(`'${text.replaceAll("'", "''")}'`, 'single')
  return fold(text, 'plain')
}

const BEST_WIDTH = 80

/** Column at which the last line ends. */
function columnOf(out: readonly string[]): number {
  let column = 0
  for (let i = out.length - 1; i >= 0; i--) {
    const piece = out[i] ?? ''
    const newline = piece.lastIndexOf('\n')
    column += piece.length - (newline + 1)
    if (newline >= 0) break
  }
  return column
}

interface Fold {
  /** Column at which the text begins. */
  readonly start: number
  /** Column of its continuation lines. */
  readonly indent: number
  readonly style: 'plain' | 'single' | 'double'
}

/** Breaks a long line at single spaces beyond the best width. `text` includes its quotes. */
function folded(lines: Lines, text: string, { start, indent, style }: Fold): string {
  const isQuoted = style !== 'plain'
  let out = ''
  let written = 0
  let counted = 0
  let column = start
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) {
    // Columns are characters, some of which are two UTF-16 units. Counting stops beyond the best width.
    for (; counted < at && column <= BEST_WIDTH; counted++) if (!isSecondUnit(text, counted)) column++
    if (column <= BEST_WIDTH || text[at - 1] === ' ' || (isQuoted && (at < 2 || at >= text.length - 2))) continue
    const isDouble = text[at + 1] === ' '
    if (isDouble && style !== 'double') continue
    countBlanks(lines, indent)
    out += `${text.slice(written, at)}\n${' '.repeat(indent)}${isDouble ? '\\' : ''}`
    column = isDouble ? indent + 1 : indent
    written = at + 1
    counted = at + 1
  }
  return out + text.slice(written)
}

const isSecondUnit = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800

/** Writes a literal block without the end of its last line. */
function literal(lines: Lines, text: string, indent: number): string {
  let breaks = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks++
  countBlanks(lines, breaks * indent)
  const hint = /^[ \n]/.test(text) ? '2' : ''
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : ''
  const body = text.replace(/^(?!\n|$)/gm, ' '.repeat(indent))
  return `|${hint}${chomp}\n${body.endsWith('\n') ? body.slice(0, -1) : body}`
}

const escapes: Readonly<Record<string, string>> = {
  '\0': '0',
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\x1b': 'e',
  '"': '"',
  '\\': '\\',
  '\u0085': 'N',
  '\u00a0': '_',
  '\u2028': 'L',
  '\u2029': 'P',
}

/** Quotes a text with the escapes of go-yaml. Lone surrogates become U+FFFD. */
function doubleQuoted(text: string): string {
  let out = ''
  for (const char of text.toWellFormed()) {
    const short = char === '\u00a0' ? undefined : escapes[char]
    if (short !== undefined) out += `\\${short}`
    else if (UNPRINTABLE.test(char)) {
      const hex = codePointOf(char).toString(16).toUpperCase()
      out += hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
    } else out += char
  }
  return `"${out}"`
}

/** Code point of a character. */
const codePointOf = (char: string): number => char.codePointAt(0) ?? 0

const LETTER = /^\p{L}$/u
const DIGIT = /^\p{Nd}$/u

const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)

/** Order of keys: letters after all other characters, runs of digits by their value. Source: go-yaml's keyList. */
function naturalOrder(a: string, b: string): number {
  let at = 0
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  const first = a.charCodeAt(at)
  const second = b.charCodeAt(at)
  if (isLetter(first) && isLetter(second)) return first - second
  if (at === a.length || at === b.length) return a.length - b.length
  return compareAscii(a, b, at) ?? compareChars([...a], [...b])
}

const isAscii = (code: number): boolean => code < 0x80
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/**
 * Compares texts that first differ at `at`, if the characters there and around the digits are ASCII; undefined
 * otherwise. Allocates nothing, because there can be very many keys.
 */
function compareAscii(a: string, b: string, at: number): number | undefined {
  const first = a.charCodeAt(at)
  const second = b.charCodeAt(at)
  if (!isAscii(first) || !isAscii(second)) return undefined
  if (isLetter(first) || isLetter(second)) return isLetter(second) ? -1 : 1
  let lead = 0
  if (first === 0x30 || second === 0x30) {
    let from = at
    while (isDigit(a.charCodeAt(from - 1))) from--
    if (from > 0 && !isAscii(a.charCodeAt(from - 1))) return undefined
    for (; from < at; from++) if (a.charCodeAt(from) !== 0x30) lead = 1
  }
  const endA = endOfDigits(a, at)
  const endB = endOfDigits(b, at)
  if (endA < 0 || endB < 0) return undefined
  const byValue = digitsFrom(a, at, endA, lead) - digitsFrom(b, at, endB, lead)
  return byValue || endA - endB || first - second
}

/** End of a run of digits; -1 if a digit of another script could follow. */
function endOfDigits(text: string, from: number): number {
  let end = from
  while (isDigit(text.charCodeAt(end))) end++
  return end < text.length && !isAscii(text.charCodeAt(end)) ? -1 : end
}

function digitsFrom(text: string, from: number, end: number, lead: number): number {
  let value = lead
  for (let i = from; i < end; i++) value = value * 10 + text.charCodeAt(i) - 0x30
  return value
}

/** Compares texts from their first different character on. */
function compareChars(left: readonly string[], right: readonly string[]): number {
  for (const [i, x] of left.entries()) {
    const y = right[i]
    if (y === undefined) break
    if (x === y) continue
    const xLetter = LETTER.test(x)
    const yLetter = LETTER.test(y)
    const byCode = codePointOf(x) - codePointOf(y)
    if (xLetter && yLetter) return byCode
    if (xLetter || yLetter) return yLetter ? -1 : 1
    const lead = x === '0' || y === '0' ? leadBefore(left, i) : 0
    const m = numberFrom(left, i, lead)
    const n = numberFrom(right, i, lead)
    if (m.value !== n.value) return m.value - n.value
    return m.end !== n.end ? m.end - n.end : byCode
  }
  return left.length - right.length
}

/** 1 if the preceding run of digits is not all zeros, which makes a following zero significant; otherwise 0. */
function leadBefore(chars: readonly string[], before: number): number {
  for (let j = before - 1; j >= 0 && DIGIT.test(chars[j] ?? ''); j--) if (chars[j] !== '0') return 1
  return 0
}

/** Parses the digits from an offset on, after a leading digit `lead`. Returns their value and end. */
function numberFrom(chars: readonly string[], from: number, lead: number): { readonly end: number; readonly value: number } {
  let value = lead
  let end = from
  for (; DIGIT.test(chars[end] ?? ''); end++) value = value * 10 + Number(chars[end])
  return { end, value }
}
