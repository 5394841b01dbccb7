import { MAX_INT64 } from '../lib/integer.ts'
import { trimEndOf } from '../lib/trim.ts'
import { ownMember } from './equal.ts'

/** Notation of a quantity: `12Mi`, `12M`, `12e6`. It is kept when the quantity is written. */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent'

/** `value × 10^scale`, of any size. Immutable. Source of the format: resource.Quantity of apimachinery. */
export interface Quantity {
  /** Signed. Not reduced: `1.0` is 10 with a scale of -1. */
  readonly value: bigint
  /** Exponent of ten. Never below -9 in a parsed quantity, which is rounded up to billionths. */
  readonly scale: number
  readonly format: QuantityFormat
  /** Whether Go holds it in 64 bits, in which case its arithmetic may overflow. */
  readonly small: boolean
  /** Text that is stored and served. */
  readonly canonical: string
}

/** Thrown for a text that is not a quantity. The message is apimachinery's. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError'
}

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const WRONG_NUMBER = 'unable to parse numeric part of quantity'
const WRONG_SUFFIX = "unable to parse quantity's suffix"

/** Least scale. Smaller parts are rounded away from zero. */
const NANO = -9
/**
 * Limit on the length of a quantity. Go has none, and takes more than linear time for long ones. An int64 in billionths
 * has 28 digits.
 */
const MAX_LENGTH = 256
/**
 * Limit on the digits of a sum, so that adding 1 to `1e2000000000` does not write it out, and every sum can be parsed
 * again. Above it, a summand is dropped if it is smaller than the other by NEGLIGIBLE_DIGITS digits.
 */
const MAX_SUM_DIGITS = 240
/** Digits by which a summand must be smaller to be dropped. */
const NEGLIGIBLE_DIGITS = 20

/**
 * Matches a number and its suffix without ambiguity: digits belong to the number unless a letter or sign precedes them.
 */
const FORM = /^([+-]?)([0-9]*)(?:\.([0-9]*))?((?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?$/

/** Exponents of ten by suffix. */
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
/** Suffixes by exponent, to print an amount. */
const DECIMAL_SUFFIX = new Map(Object.entries(DECIMAL).map(([suffix, exponent]) => [exponent, suffix]))
/** Suffixes for powers of 1024, from the first on. */
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

/** Returns the multiplier of a suffix, as a power of a base. Throws QuantityError. */
function suffixOf(suffix: string): { base: 2 | 10; exponent: number; format: QuantityFormat } {
  const decimal = ownMember(DECIMAL, suffix)
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: 'DecimalSI' }
  const binary = BINARY.indexOf(suffix)
  if (binary >= 0) return { base: 2, exponent: (binary + 1) * 10, format: 'BinarySI' }
  if (!/^[eE][+-]?[0-9]+$/.test(suffix) || suffix.length > 20) throw new QuantityError(WRONG_SUFFIX)
  return { base: 10, exponent: Number(suffix.slice(1)) | 0, format: 'DecimalExponent' }
}

const pow10 = (n: number): bigint => 10n ** BigInt(n)
const abs = (n: bigint): bigint => (n < 0n ? -n : n)
/** Divides and rounds away from zero. */
function divideUp(value: bigint, by: bigint): bigint {
  const quotient = value / by
  return value % by === 0n ? quotient : quotient + (value < 0n ? -1n : 1n)
}

/** Cache of quantities by text, since a few values occur in every pod. It is bounded and shared by all callers. */
const known = new Map<string, Quantity>()

/** Parses a quantity. Throws QuantityError. Surrounding white space is not allowed. */
export function parseQuantity(text: string): Quantity {
  const seen = known.get(text)
  if (seen) return seen
  const quantity = parseQuantityText(text)
  if (known.size >= 4096) known.clear()
  if (text.length <= 32) known.set(text, quantity)
  return quantity
}

/** Parses without the cache. The order of the checks determines which message appears. */
function parseQuantityText(text: string): Quantity {
  if (text === '') throw new QuantityError(WRONG_FORMAT)
  if (text.length > MAX_LENGTH) throw new QuantityError(WRONG_NUMBER)
  if (text === '0') return { value: 0n, scale: 0, format: 'DecimalSI', small: true, canonical: '0' }
  const match = FORM.exec(text)
  if (!match) throw new QuantityError(WRONG_FORMAT)
  const [, sign, digits = '', fraction = '', suffix = ''] = match
  const whole = digits.replace(/^0+/, '') || '0'
  const { base, exponent, format } = suffixOf(suffix)
  const shifted = whole + fraction
  const negative = sign === '-'

  // Small numbers keep their text if it is (nearly) canonical, and skip the rounding below.
  let precision = 18 - shifted.length
  if (base === 2) precision = fraction === '' ? 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 : -1
  const scale = (base === 10 ? exponent : 0) - fraction.length
  if (precision >= 0 && scale >= NANO) {
    const n = BigInt(shifted)
    const value = base === 2 ? n << BigInt(exponent) : n
    if (value <= MAX_INT64) {
      const signed = negative ? -value : value
      const kept = base === 2 ? (n & 7n) !== 0n : scale % 3 === 0 && !shifted.endsWith('000') && shifted[0] !== '0'
      return { value: signed, scale, format, small: true, canonical: kept ? text : canonicalise(signed, scale, format) }
    }
  }

  if (digits === '' && fraction === '') throw new QuantityError(WRONG_NUMBER)
  let value = BigInt(shifted)
  let rounded = scale
  if (base === 2) value <<= BigInt(exponent)
  if (rounded < NANO) {
    // With so many digits dropped, only rounding up can leave a digit.
    const drop = NANO - rounded
    value = drop > shifted.length + 20 ? (value === 0n ? 0n : 1n) : divideUp(value, pow10(drop))
    rounded = NANO
  }
  let shown: QuantityFormat = format
  if (format === 'BinarySI') {
    if (compareScaled(value, rounded, MAX_INT64, 0) > 0) {
      value = MAX_INT64
      rounded = 0
    }
    if (value > 0n && compareScaled(value, rounded, 1n, 0) < 0) shown = 'DecimalSI'
  }
  const signed = negative ? -value : value
  return { value: signed, scale: rounded, format: shown, small: false, canonical: canonicalise(signed, rounded, shown) }
}

/**
 * Returns upstream's text of a value of `value` × 10^`scale`: the largest suffix with which the number is whole, in the
 * format's own suffixes.
 */
function canonicalise(value: bigint, scale: number, format: QuantityFormat): string {
  if (value === 0n) return '0'
  if (format === 'BinarySI' && compareScaled(abs(value), scale, 1024n, 0) >= 0) {
    const integer = scale >= 0 ? value * pow10(scale) : value / pow10(-scale)
    if (scale >= 0 || integer * pow10(-scale) === value) {
      let amount = integer
      let times = 0
      while (abs(amount) >= 1024n && amount % 1024n === 0n) {
        amount /= 1024n
        times++
      }
      return `${amount}${times === 0 ? '' : (BINARY[times - 1] ?? '')}`
    }
  }
  const digits = value.toString()
  const zeros = digits.length - trimEndOf(digits, '0').length
  let amount = value / pow10(zeros)
  let exponent = scale + zeros
  while (exponent % 3 !== 0) {
    amount *= 10n
    exponent--
  }
  if (format === 'DecimalExponent') return exponent === 0 ? `${amount}` : `${amount}e${exponent}`
  return `${amount}${DECIMAL_SUFFIX.get(exponent) ?? ''}`
}

/** Compares `a` × 10^`aScale` with `b` × 10^`bScale` without writing out numbers of very different size. */
function compareScaled(a: bigint, aScale: number, b: bigint, bScale: number): number {
  const aSign = a > 0n ? 1 : a < 0n ? -1 : 0
  const bSign = b > 0n ? 1 : b < 0n ? -1 : 0
  if (aSign !== bSign) return aSign < bSign ? -1 : 1
  if (aSign === 0) return 0
  if (aScale === bScale) return a < b ? -1 : a > b ? 1 : 0
  // Numbers of different magnitude are compared without being written out.
  const magnitude = magnitudeOf(a, aScale) - magnitudeOf(b, bScale)
  if (magnitude !== 0) return magnitude > 0 === aSign > 0 ? 1 : -1
  const left = aScale > bScale ? a * pow10(aScale - bScale) : a
  const right = bScale > aScale ? b * pow10(bScale - aScale) : b
  return left < right ? -1 : left > right ? 1 : 0
}

/** Returns the number of digits before the decimal point; negative for zeros after it. */
const magnitudeOf = (value: bigint, scale: number): number => abs(value).toString().length + scale

/** A quantity in an object: canonical text, or absent for Go's zero value. */
export type QuantityValue = string | number | bigint | undefined | null

/** Parses a quantity of an object. An absent value is 0. Throws QuantityError. */
export const toQuantity = (value: QuantityValue): Quantity => parseQuantity(value === undefined || value === null ? '0' : String(value))

/** Returns -1, 0 or 1. Throws QuantityError. */
export function compareQuantity(a: QuantityValue, b: QuantityValue): number {
  if (a === b) return 0
  const x = toQuantity(a)
  const y = toQuantity(b)
  return compareScaled(x.value, x.scale, y.value, y.scale)
}

/** Returns -1 for a negative quantity, 0 for zero and 1 for a positive one. */
export const quantitySign = (value: QuantityValue): -1 | 0 | 1 => {
  const { value: n } = toQuantity(value)
  return n > 0n ? 1 : n < 0n ? -1 : 0
}

/** Returns -1, 0 or 1. */
export const compareParsed = (a: Quantity, b: Quantity): number => compareScaled(a.value, a.scale, b.value, b.scale)

/**
 * Computes `a + b` or `a - b` like Go: in 64 bits if both summands and the sum fit. If the sum has very many digits,
 * such as that of 1e1000 and 1, it is the larger summand alone.
 */
export function addParsed(a: Quantity, b: Quantity, subtracts: boolean): Quantity {
  const both = a.small && b.small
  const added = subtracts ? (both ? BigInt.asIntN(64, -b.value) : -b.value) : b.value
  if (a.value === 0n) return quantityOf(added, b.scale, b.format, both)
  if (b.value === 0n) return quantityOf(a.value, a.scale, a.format, both)
  const scale = Math.min(a.scale, b.scale)
  if (!both || Math.max(a.scale, b.scale) - scale > SMALL_GAP) {
    const [ofA, ofB] = [magnitudeOf(a.value, a.scale), magnitudeOf(b.value, b.scale)]
    if (Math.max(ofA, ofB) - scale > MAX_SUM_DIGITS && Math.abs(ofA - ofB) > NEGLIGIBLE_DIGITS)
      return ofA >= ofB ? a : quantityOf(added, b.scale, b.format, false)
  }
  return quantityOf(a.value * pow10(a.scale - scale) + added * pow10(b.scale - scale), scale, a.format, both)
}

/** Largest difference in scale of two int64s whose sum is short. */
const SMALL_GAP = 36

const quantityOf = (value: bigint, scale: number, format: QuantityFormat, areSmall: boolean): Quantity => ({
  value,
  scale,
  format,
  small: areSmall && BigInt.asIntN(64, value) === value,
  canonical: canonicalise(value, scale, format),
})

/** Returns `a` multiplied by an integer, with the result of repeated addition. */
export function multiplyParsed(a: Quantity, times: number): Quantity {
  if (times === 1) return a
  const value = a.value * BigInt(times)
  return { ...a, value, small: a.small && BigInt.asIntN(64, value) === value, canonical: canonicalise(value, a.scale, a.format) }
}

/** Returns `a` multiplied by `b`, in the format of `a`, rounded up to billionths. */
export function multiplyQuantities(a: Quantity, b: Quantity): Quantity {
  const scale = a.scale + b.scale
  const value = a.value * b.value
  return scale < NANO ? quantityOf(divideUp(value, pow10(NANO - scale)), NANO, a.format, false) : quantityOf(value, scale, a.format, false)
}

/** Returns the canonical text of `a + b`, in the format of `a` (of `b` if `a` is zero). */
export const addQuantity = (a: QuantityValue, b: QuantityValue): string => addParsed(toQuantity(a), toQuantity(b), false).canonical

/** Larger exponents overflow an int64 in any case: Go's result is then 0. */
const MAX_STEPS = 19

/** Computes Go's ScaledValue, with its overflows, which validation of absurd amounts shows. */
function scaled(value: QuantityValue, to: number): bigint {
  const q = toQuantity(value)
  const shift = q.scale - to
  if (q.small) {
    if (shift <= 0) return divideUp(q.value, pow10(-shift))
    if (shift > MAX_STEPS) return 0n
    const wide = q.value * pow10(shift)
    const wrapped = BigInt.asIntN(64, wide)
    // Go multiplies by common factors directly, and by others digit by digit with an overflow check.
    return wrapped === wide || shift <= 3 || shift === 6 || shift === 9 ? wrapped : 0n
  }
  // A value that was capped at the maximum keeps its scale; others are in billionths.
  if (abs(q.value) === MAX_INT64 && q.scale === 0) return BigInt.asIntN(64, q.value * pow10(-to))
  // 2^64 divides every power of ten from the 64th on.
  if (q.scale > 128) return 0n
  const billionths = q.value * pow10(q.scale - NANO)
  const counted = billionths < MAX_INT64 ? BigInt.asIntN(64, billionths) : billionths
  const by = pow10(to - NANO)
  return BigInt.asIntN(64, counted / by + (counted % by === 0n ? 0n : 1n))
}

/** Returns the value rounded up to an integer, as Go returns it in 64 bits. */
export const quantityValue = (value: QuantityValue): bigint => scaled(value, 0)
/** Returns the number of thousandths, rounded up, as Go returns it in 64 bits. */
export const quantityMilliValue = (value: QuantityValue): bigint => scaled(value, -3)

/**
 * Rounds away from zero to a multiple of 10^scale (thousandths: -3). The text is unchanged if no rounding is needed.
 */
export function roundUpQuantity(value: QuantityValue, scale: number): string {
  const q = toQuantity(value)
  return q.scale >= scale ? q.canonical : canonicalise(divideUp(q.value, pow10(scale - q.scale)), scale, q.format)
}

/** Returns the text to store for a quantity of a client. Throws QuantityError. */
export const canonicalQuantity = (value: string | number | bigint): string => parseQuantity(String(value).trim()).canonical
