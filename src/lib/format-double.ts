/** Returns Go's name of NaN or an infinity; undefined for other numbers. */
export function nameOfSpecial(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? undefined : value > 0 ? '+Inf' : '-Inf'
}

/** Returns the shortest digits that read as the same number, and the decimal exponent of the first. */
function digitsOf(value: number): { sign: string; digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = Math.abs(value).toExponential().split('e')
  return { sign: value < 0 || Object.is(value, -0) ? '-' : '', digits: mantissa.replace('.', ''), exponent: Number(power) }
}

/** Formats a float64 like Go's %g and %v: with an exponent below -4 and from 6. */
export function formatDouble(value: number): string {
  const name = nameOfSpecial(value)
  if (name !== undefined) return name
  const { sign, digits, exponent } = digitsOf(value)
  if (exponent < -4 || exponent >= 6) {
    const power = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
    return `${sign}${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ''}e${power}`
  }
  return `${sign}${plainDigits(digits, exponent)}`
}

/** Formats a float64 as a float32 like Go's FormatFloat(…, 'g', -1, 32). */
export function formatFloat32(value: number): string {
  const single = Math.fround(value)
  for (let precision = 1; precision < MOST_FLOAT32_DIGITS; precision++) {
    const shorter = Number(single.toPrecision(precision))
    if (Math.fround(shorter) === single) return formatDouble(shorter)
  }
  return formatDouble(Number.isFinite(single) ? Number(single.toPrecision(MOST_FLOAT32_DIGITS)) : single)
}

/** Digits that identify any float32. */
const MOST_FLOAT32_DIGITS = 9

/** Formats a float64 without an exponent and with as many digits as needed, like Go's FormatFloat(…, 'f', -1, 64). */
export function plainDouble(value: number): string {
  const name = nameOfSpecial(value)
  if (name !== undefined) return name
  const { sign, digits, exponent } = digitsOf(value)
  return `${sign}${plainDigits(digits, exponent)}`
}

function plainDigits(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`
  if (digits.length <= exponent + 1) return digits.padEnd(exponent + 1, '0')
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`
}
