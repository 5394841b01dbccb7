/** Go's names of what is no number. */
function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? undefined : value > 0 ? '+Inf' : '-Inf'
}

/** Shortest digits that give the number again, and the power of ten of the first. */
function digitsOf(value: number): { sign: string; digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = Math.abs(value).toExponential().split('e')
  return { sign: value < 0 || Object.is(value, -0) ? '-' : '', digits: mantissa.replace('.', ''), exponent: Number(power) }
}

/** As Go's %g and %v: an exponent below -4 or from 6 on. */
export function formatDouble(value: number): string {
  const name = special(value)
  if (name !== undefined) return name
  const { sign, digits, exponent } = digitsOf(value)
  if (exponent < -4 || exponent >= 6) {
    const power = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
    return `${sign}${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ''}e${power}`
  }
  return `${sign}${plain(digits, exponent)}`
}

/** Without an exponent, with as many digits as are needed: Go's FormatFloat(…, 'f', -1, 64). */
export function plainDouble(value: number): string {
  const name = special(value)
  if (name !== undefined) return name
  const { sign, digits, exponent } = digitsOf(value)
  return `${sign}${plain(digits, exponent)}`
}

function plain(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`
  if (digits.length <= exponent + 1) return digits.padEnd(exponent + 1, '0')
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`
}

/** The exact decimal digits of a number, without sign: whole part and fraction. */
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

/** Rounded half to even on the exact value, as Go's %.Nf. */
export function fixedDouble(value: number, precision: number): string {
  const name = special(value)
  if (name !== undefined) return name
  const { whole, fraction, places } = exactDecimal(value)
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const all = whole * 10n ** BigInt(places) + fraction
  const rounded = precision >= places ? all * 10n ** BigInt(precision - places) : roundEven(all, 10n ** BigInt(places - precision))
  const digits = String(rounded).padStart(precision + 1, '0')
  return precision === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -precision)}.${digits.slice(-precision)}`
}

function roundEven(value: bigint, by: bigint): bigint {
  const quotient = value / by
  const twice = (value % by) * 2n
  return twice > by || (twice === by && quotient % 2n === 1n) ? quotient + 1n : quotient
}
