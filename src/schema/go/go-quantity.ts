import type { JsonObject } from '../../api/meta/object.ts'

/** Exponents of ten, and of two, by suffix. */
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 }

/**
 * Returns the fields of a resource.Quantity parsed from canonical text: its value is `value` times ten to the power of
 * `scale`. Go keeps the text in `s` only if the parser recognises it as canonical; otherwise `s` is empty.
 */
export function goQuantity(text: string): JsonObject {
  if (text === '0') return { s: text, Format: 'DecimalSI' }
  const [, sign = '', whole = '', fraction = '', suffix = ''] = /^([+-]?)(\d*)(?:\.(\d*))?(.*)/s.exec(text) ?? []
  const digits = whole + fraction
  const number = BigInt(digits || '0')
  const value = sign === '-' ? -number : number
  const binary = BINARY[suffix]
  if (binary !== undefined) {
    const kept = fraction === '' && number % 8n !== 0n
    return { i: { value: (value << BigInt(binary)) / 10n ** BigInt(fraction.length), scale: 0 }, s: kept ? text : '', Format: 'BinarySI' }
  }
  const decimal = DECIMAL[suffix]
  const scale = (decimal ?? Number(suffix.slice(1))) - fraction.length
  const kept = scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
  return { i: { value, scale }, s: kept ? text : '', Format: decimal === undefined ? 'DecimalExponent' : 'DecimalSI' }
}
