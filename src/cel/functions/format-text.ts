import { compareText } from '../../lib/compare-text.ts'
import { formatDouble } from '../../lib/format-double.ts'
import { quote } from '../../lib/go-quote.ts'
import { isStepDone, type Steps, sortInSteps } from '../../lib/steps.ts'
import { ownMember } from '../../meta/equal.ts'
import { longCall } from '../long-work.ts'
import { fixedDouble } from '../values/double-text.ts'
import { chargePrinted } from '../values/print.ts'
import { timestampText } from '../values/time.ts'
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelType,
  CelUint,
  isInt,
  typeNameOf,
  type Value,
} from '../values/value.ts'
import { bytesToText, secondsText } from './conversions.ts'

/** Internal error of the formatter, converted to a CelError by `formatText`. */
class FormatFault extends Error {
  override readonly name = 'FormatFault'
}

/** Default precision. */
const PRECISION = 6

/** Throws the error for an argument of a type that the clause does not accept. */
const only = (words: string, value: Value): never => {
  throw new FormatFault(`error during formatting: ${words}, was given ${typeNameOf(value)}`)
}

/** Prints a value for `%s` that is no list or map. */
function formatString(value: Value): string {
  if (typeof value === 'string') return value
  if (value === null) return 'null'
  if (value instanceof CelType) return value.name
  if (value instanceof Uint8Array) return bytesText(value)
  if (value instanceof CelTimestamp) return timestampText(value)
  if (value instanceof CelDuration) return secondsText(value)
  if (value instanceof CelDouble) return formatDouble(value.value)
  if (value instanceof CelUint) return String(value.value)
  if (typeof value === 'boolean' || isInt(value)) return String(value)
  return only(
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    value,
  )
}

/** Converts bytes as `string()` does. */
function bytesText(bytes: Uint8Array): string {
  const result = bytesToText(bytes)
  if (typeof result === 'string') return result
  throw new FormatFault(`error during formatting: could not convert argument ${quote(result.message)} to string`)
}

/** Prints an element of a list or map as a CEL literal, if it is no list or map itself. */
function literal(value: Value): string {
  if (typeof value === 'string') return quote(value)
  if (value instanceof Uint8Array) return `b${quote(formatString(value))}`
  if (value instanceof CelTimestamp) return `timestamp(${quote(formatString(value))})`
  if (value instanceof CelDuration) return `duration(${quote(formatString(value))})`
  if (value instanceof CelDouble)
    return Number.isFinite(value.value) ? fixedDouble(value.value, PRECISION) : quote(fixedDouble(value.value, PRECISION))
  const known = value === null || typeof value === 'boolean' || isInt(value) || value instanceof CelUint || value instanceof CelType
  if (known) return formatString(value)
  throw new FormatFault(`error during formatting: no formatting function for ${typeNameOf(value)}`)
}

/** Whether a value has parts to print. */
const isCollection = (value: Value): value is CelList | CelMap => value instanceof CelList || value instanceof CelMap

/** Prints a list or map as a CEL literal, in steps. */
const collectionText = (value: CelList | CelMap): Steps<string> => (value instanceof CelList ? listText(value) : mapText(value))

/** Prints a list as a CEL literal: `[1, "a"]`. */
function* listText(list: CelList): Steps<string> {
  const parts: string[] = []
  for (let i = 0; i < list.size; i++) {
    if (isStepDone()) yield
    const element = list.at(i)
    parts.push(chargePrinted(isCollection(element) ? yield* collectionText(element) : literal(element)))
  }
  return `[${parts.join(', ')}]`
}

/** Prints a map sorted by its printed keys, because the order of a map is unspecified. */
function* mapText(map: CelMap): Steps<string> {
  const pairs: (readonly [key: string, value: string])[] = []
  for (const [key, value] of map.entries()) {
    if (isStepDone()) yield
    if (typeof key !== 'string' && typeof key !== 'boolean' && !isInt(key) && !(key instanceof CelUint))
      throw new FormatFault(`error during formatting: no formatting function for map key of type ${typeNameOf(key)}`)
    pairs.push([chargePrinted(literal(key)), chargePrinted(isCollection(value) ? yield* collectionText(value) : literal(value))])
  }
  const sorted = yield* sortInSteps(pairs, ([a], [b]) => compareText(a, b))
  return `{${sorted.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}

/** Returns the value of an int or uint, the only types that integer clauses accept. */
function celInteger(value: Value): bigint | undefined {
  if (isInt(value)) return BigInt(value)
  return value instanceof CelUint ? value.value : undefined
}

const decimal = (value: Value): string => celInteger(value)?.toString() ?? only('decimal clause can only be used on integers', value)
const octal = (value: Value): string => celInteger(value)?.toString(8) ?? only('octal clause can only be used on integers', value)

function binary(value: Value): string {
  if (typeof value === 'boolean') return value ? '1' : '0'
  return celInteger(value)?.toString(2) ?? only('only integers and bools can be formatted as binary', value)
}

function hex(value: Value): string {
  if (typeof value === 'string' || value instanceof Uint8Array)
    return (typeof value === 'string' ? Buffer.from(value) : Buffer.from(value)).toString('hex')
  return celInteger(value)?.toString(16) ?? only('only integers, byte buffers, and strings can be formatted as hex', value)
}

/** Texts that stand for doubles without a literal. */
const NUMBERS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
}

function doubleOf(value: Value, words: string): number {
  if (value instanceof CelDouble) return value.value
  return (typeof value === 'string' ? ownMember(NUMBERS, value) : undefined) ?? only(words, value)
}

/** Prints NaN and infinities as a Go printer for en-US does. */
const specialText = (value: number): string | undefined =>
  Number.isNaN(value) ? 'NaN' : Number.isFinite(value) ? undefined : value > 0 ? '∞' : '-∞'

/** Prints a fixed-point number with thousands separators, as a Go printer for en-US does. */
function fixed(value: Value, precision: number): string {
  const number = doubleOf(value, 'fixed-point clause can only be used on doubles')
  const special = specialText(number)
  if (special !== undefined) return special
  const [whole = '', fraction] = fixedDouble(number, precision).split('.')
  return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`
}

/** Adds thousands separators to an integer. */
function grouped(digits: string): string {
  const sign = digits.startsWith('-') ? '-' : ''
  const head = (digits.length - sign.length) % 3 || 3
  const groups = [digits.slice(0, sign.length + head)]
  for (let at = sign.length + head; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3))
  return groups.join(',')
}

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** Prints scientific notation as a Go printer for en-US does: `1.500000×10⁰³`. cel-go uses the precision as a width. */
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

/** Limit for the precision. A higher one would print megabytes. */
const MAX_PRECISION = 10_000

/** Printers by clause letter. Source: cel-go, ext/formatting.go. */
const CLAUSES: Readonly<Record<string, (value: Value, precision: number) => string>> = {
  s: formatString,
  d: decimal,
  f: fixed,
  e: scientific,
  b: binary,
  x: hex,
  X: value => hex(value).toUpperCase(),
  o: octal,
}

/** A clause: an optional precision, and a letter. */
const CLAUSE = /^(?:\.(\d*))?(.)?/s

/**
 * Prints an argument with the clause at the beginning of `rest`, in steps.
 * @returns the text, and the length of the clause in characters.
 */
function* clause(rest: string, value: Value): Steps<{ printed: string; length: number }> {
  const parsing = 'could not parse formatting clause: error while parsing precision: '
  const [, precision, letter = ''] = CLAUSE.exec(rest) ?? []
  if (precision !== undefined && letter === '') throw new FormatFault(`${parsing}could not find end of precision specifier`)
  const digits = Number(precision ?? PRECISION)
  if (precision === '' || digits > MAX_PRECISION)
    throw new FormatFault(
      `${parsing}error while converting precision to integer: strconv.Atoi: parsing "${precision}": ${precision === '' ? 'invalid syntax' : 'value out of range'}`,
    )
  const print = ownMember(CLAUSES, letter)
  // cel-go reads the format string by bytes, and reports the first byte.
  if (!print)
    throw new FormatFault(
      `could not parse formatting clause: unrecognized formatting clause "${Buffer.from(letter).toString('latin1')[0]}"`,
    )
  const printed = letter === 's' && isCollection(value) ? yield* collectionText(value) : print(value, digits)
  return { printed, length: 1 + (precision === undefined ? 0 : precision.length + 1) }
}

/** Implements `'…%s…'.format([…])`. Errors are values with cel-go's messages. */
export const formatText = (format: string, args: CelList): Value => longCall(() => formatInSteps(format, args))

function* formatInSteps(format: string, args: CelList): Steps<string | CelError> {
  try {
    return yield* formatAll(format, args)
  } catch (fault) {
    if (fault instanceof FormatFault) return new CelError(fault.message)
    throw fault
  }
}

/** Formats the arguments in order. Surplus arguments are ignored. */
function* formatAll(format: string, args: CelList): Steps<string> {
  let out = ''
  let used = 0
  for (let at = 0; at < format.length; ) {
    if (isStepDone()) yield
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
    const { printed, length } = yield* clause(format.slice(at), args.at(used++))
    out += chargePrinted(printed)
    at += length
  }
  return out
}
