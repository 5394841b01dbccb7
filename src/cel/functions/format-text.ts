import { formatDouble } from '../../lib/format-double.ts'
import { quote } from '../../lib/go-quote.ts'
import { ownMember } from '../../meta/equal.ts'
import { fixedDouble } from '../values/double-text.ts'
import { timestampText } from '../values/time.ts'
import { CelDouble, CelDuration, CelError, CelList, CelMap, CelTimestamp, CelType, CelUint, isInt, typeNameOf, type Value } from '../values/value.ts'
import { spendWork } from '../work.ts'
import { bytesToText, secondsText } from './conversions.ts'

/** Thrown inside of a formatting only. */
class FormatFault extends Error {
  override readonly name = 'FormatFault'
}

/** Digits behind the point where a clause names none. */
const PRECISION = 6

/** A clause that was given a value of another type. */
const only = (words: string, value: Value): never => {
  throw new FormatFault(`error during formatting: ${words}, was given ${typeNameOf(value)}`)
}

/** `%s` of a value that stands by itself. */
function text(value: Value): string {
  if (typeof value === 'string') return value
  if (value === null) return 'null'
  if (value instanceof CelList) return listText(value)
  if (value instanceof CelMap) return mapText(value)
  if (value instanceof CelType) return value.name
  if (value instanceof Uint8Array) return bytesText(value)
  if (value instanceof CelTimestamp) return timestampText(value)
  if (value instanceof CelDuration) return secondsText(value)
  if (value instanceof CelDouble) return formatDouble(value.value)
  if (value instanceof CelUint) return String(value.value)
  if (typeof value === 'boolean' || isInt(value)) return String(value)
  return only('string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps', value)
}

/** By the conversion of `string()`, so that both always agree. */
function bytesText(bytes: Uint8Array): string {
  const result = bytesToText(bytes)
  if (typeof result === 'string') return result
  throw new FormatFault(`error during formatting: could not convert argument ${quote(result.message)} to string`)
}

/** Inside a list or map: as an expression would write it. */
function literal(value: Value): string {
  if (typeof value === 'string') return quote(value)
  if (value instanceof Uint8Array) return `b${quote(text(value))}`
  if (value instanceof CelTimestamp) return `timestamp(${quote(text(value))})`
  if (value instanceof CelDuration) return `duration(${quote(text(value))})`
  if (value instanceof CelDouble) return Number.isFinite(value.value) ? fixedDouble(value.value, PRECISION) : quote(fixedDouble(value.value, PRECISION))
  const known = value === null || typeof value === 'boolean' || isInt(value) || value instanceof CelUint || value instanceof CelType
  if (known || value instanceof CelList || value instanceof CelMap) return text(value)
  throw new FormatFault(`error during formatting: no formatting function for ${typeNameOf(value)}`)
}

/** A list may hold the same one many times: it is printed as often. */
function spent(text: string): string {
  spendWork(1 + text.length)
  return text
}

/** As a literal of the language: `[1, "a"]`. */
function listText(list: CelList): string {
  const parts: string[] = []
  for (let i = 0; i < list.size; i++) parts.push(spent(literal(list.at(i))))
  return `[${parts.join(', ')}]`
}

/** Sorted by the texts of the keys: the order of a map is nobody's promise. */
function mapText(map: CelMap): string {
  const pairs = Array.from(map.entries(), ([key, value]) => {
    if (typeof key !== 'string' && typeof key !== 'boolean' && !isInt(key) && !(key instanceof CelUint))
      throw new FormatFault(`error during formatting: no formatting function for map key of type ${typeNameOf(key)}`)
    return [spent(literal(key)), spent(literal(value))] as const
  })
  const sorted = pairs.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return `{${sorted.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}

/** Of an int or uint; the clauses for integers take no other type. */
function integerOf(value: Value): bigint | undefined {
  if (isInt(value)) return BigInt(value)
  return value instanceof CelUint ? value.value : undefined
}

const decimal = (value: Value): string => integerOf(value)?.toString() ?? only('decimal clause can only be used on integers', value)
const octal = (value: Value): string => integerOf(value)?.toString(8) ?? only('octal clause can only be used on integers', value)

function binary(value: Value): string {
  if (typeof value === 'boolean') return value ? '1' : '0'
  return integerOf(value)?.toString(2) ?? only('only integers and bools can be formatted as binary', value)
}

function hex(value: Value): string {
  if (typeof value === 'string' || value instanceof Uint8Array) return (typeof value === 'string' ? Buffer.from(value) : Buffer.from(value)).toString('hex')
  return integerOf(value)?.toString(16) ?? only('only integers, byte buffers, and strings can be formatted as hex', value)
}

/** Texts that stand for numbers that have no literal. */
const NUMBERS: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity: Number.POSITIVE_INFINITY, '-Infinity': Number.NEGATIVE_INFINITY }

function doubleOf(value: Value, words: string): number {
  if (value instanceof CelDouble) return value.value
  return (typeof value === 'string' ? ownMember(NUMBERS, value) : undefined) ?? only(words, value)
}

/** How a printer for en-US writes what is no number. */
const specialText = (value: number): string | undefined => (Number.isNaN(value) ? 'NaN' : Number.isFinite(value) ? undefined : value > 0 ? '∞' : '-∞')

/** With commas between thousands, as a printer for en-US puts them. */
function fixed(value: Value, precision: number): string {
  const number = doubleOf(value, 'fixed-point clause can only be used on doubles')
  const special = specialText(number)
  if (special !== undefined) return special
  const [whole = '', fraction] = fixedDouble(number, precision).split('.')
  return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`
}

/** An integer with commas between thousands. */
function grouped(digits: string): string {
  const sign = digits.startsWith('-') ? '-' : ''
  const head = (digits.length - sign.length) % 3 || 3
  const groups = [digits.slice(0, sign.length + head)]
  for (let at = sign.length + head; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3))
  return groups.join(',')
}

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** As a printer for en-US writes powers: `1.500000×10⁰³`. cel-go takes the precision for a width. */
function scientific(value: Value, width: number): string {
  const number = doubleOf(value, 'scientific clause can only be used on doubles')
  return (specialText(number) ?? powerOfTen(number)).padStart(width, ' ')
}

function powerOfTen(number: number): string {
  const [mantissa = '', power = '0'] = number.toExponential(PRECISION).split('e')
  const padded = String(Math.abs(Number(power))).padStart(2, '0')
  const sign = Object.is(number, -0) ? '-' : ''
  return `${sign}${mantissa}×10${Number(power) < 0 ? '⁻' : ''}${padded.replace(/\d/g, digit => SUPERSCRIPT[Number(digit)] ?? digit)}`
}

/** Precisions beyond that would write out megabytes. */
const MAX_PRECISION = 10_000

/** By their letters. Source: cel-go, ext/formatting.go. */
const CLAUSES: Readonly<Record<string, (value: Value, precision: number) => string>> = {
  s: text,
  d: decimal,
  f: fixed,
  e: scientific,
  b: binary,
  x: hex,
  X: value => hex(value).toUpperCase(),
  o: octal,
}

/** A precision, if there is a point, and a letter of any kind. */
const CLAUSE = /^(?:\.(\d*))?(.)?/s

/** What stands behind a `%`: printed, with how long the clause is. */
function clause(rest: string, value: Value): { printed: string; length: number } {
  const parsing = 'could not parse formatting clause: error while parsing precision: '
  const [, precision, letter = ''] = CLAUSE.exec(rest) ?? []
  if (precision !== undefined && letter === '') throw new FormatFault(`${parsing}could not find end of precision specifier`)
  const digits = Number(precision ?? PRECISION)
  if (precision === '' || digits > MAX_PRECISION)
    throw new FormatFault(
      `${parsing}error while converting precision to integer: strconv.Atoi: parsing "${precision}": ${precision === '' ? 'invalid syntax' : 'value out of range'}`,
    )
  const print = ownMember(CLAUSES, letter)
  // cel-go reads bytes here, not characters.
  if (!print) throw new FormatFault(`could not parse formatting clause: unrecognized formatting clause "${Buffer.from(letter).toString('latin1')[0]}"`)
  return { printed: print(value, digits), length: 1 + (precision === undefined ? 0 : precision.length + 1) }
}

/** `'…%s…'.format([…])`: errors are values, in cel-go's words. */
export function formatText(format: string, args: CelList): Value {
  try {
    return formatAll(format, args)
  } catch (fault) {
    if (fault instanceof FormatFault) return new CelError(fault.message)
    throw fault
  }
}

/** Clauses take the arguments in turn; arguments that are left over are no error. */
function formatAll(format: string, args: CelList): string {
  let out = ''
  let used = 0
  for (let at = 0; at < format.length; ) {
    const percent = format.indexOf('%', at)
    if (percent < 0) return out + format.slice(at)
    out += format.slice(at, percent)
    at = percent + 1
    if (format[at] === '%') {
      out += '%'
      at++
      continue
    }
    if (used >= args.size) throw new FormatFault(`index ${used} out of range`)
    if (at >= format.length) throw new FormatFault('unexpected end of string')
    const { printed, length } = clause(format.slice(at), args.at(used++))
    out += spent(printed)
    at += length
  }
  return out
}
