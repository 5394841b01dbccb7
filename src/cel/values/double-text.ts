import { nameOfSpecial } from '../../lib/format-double.ts'

/**
 * Returns the exact decimal digits of an absolute value.
 * @returns the whole part, and the fraction times 10^places.
 */
function exactDecimal(value: number): { whole: bigint; fraction: bigint; places: number } {
  let places = 0
  let scaled = Math.abs(value)
  while (!Number.isInteger(scaled)) {
    scaled *= 2
    places++
  }
  const numerator = BigInt(scaled)
  const divisor = 1n << BigInt(places)
  // value = numerator / 2^places = numerator × 5^places / 10^places
  return { whole: numerator / divisor, fraction: (numerator % divisor) * 5n ** BigInt(places), places }
}

/** Prints a fixed number of decimals, rounded half to even on the exact value, as Go's `%.Nf`. */
export function fixedDouble(value: number, precision: number): string {
  const name = nameOfSpecial(value)
  if (name !== undefined) return name
  const { whole, fraction, places } = exactDecimal(value)
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const all = whole * 10n ** BigInt(places) + fraction
  const rounded = precision >= places ? all * 10n ** BigInt(precision - places) : roundEven(all, 10n ** BigInt(places - precision))
  const digits = String(rounded).padStart(precision + 1, '0')
  return precision === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -precision)}.${digits.slice(-precision)}`
}

/** Divides and rounds half to even. */
function roundEven(value: bigint, by: bigint): bigint {
  const quotient = value / by
  const twice = (value % by) * 2n
  return twice > by || (twice === by && quotient % 2n === 1n) ? quotient + 1n : quotient
}
