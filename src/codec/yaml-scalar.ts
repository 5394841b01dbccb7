import { parseInteger } from '../lib/integer.ts'
/**
 * Type and value of an untagged plain scalar by the rules of go-yaml 2, which kubectl and kube-apiserver share: YAML
 * 1.1 words, octal with a leading zero, dates as text.
 */
export type Scalar = {
  readonly tag: 'null' | 'bool' | 'int' | 'float' | 'timestamp' | 'str'
  readonly value: null | boolean | number | bigint | string
}

/** Words that YAML 1.1 does not read as text, in all spellings. */
const words = new Map<string, Scalar>()
const word = (scalar: Scalar, ...texts: string[]): void => {
  for (const text of texts) words.set(text, scalar)
}
word({ tag: 'bool', value: true }, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON')
word({ tag: 'bool', value: false }, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF')
word({ tag: 'null', value: null }, '', '~', 'null', 'Null', 'NULL')
word({ tag: 'float', value: Number.NaN }, '.nan', '.NaN', '.NAN')
word({ tag: 'float', value: Number.POSITIVE_INFINITY }, '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF')
word({ tag: 'float', value: Number.NEGATIVE_INFINITY }, '-.inf', '-.Inf', '-.INF')

/** First characters of scalars that may not be text. Most texts begin otherwise. */
const HINTED = /^[-+0-9yYnNtTfFoO~.]/
const INTEGER = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)$/
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
/** A float without digits before its point. Underscores stand between digits. */
const FRACTION = /^\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?$/
const DATE =
  /^[0-9]{4}-(\d{1,2})-(\d{1,2})(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:[.,]\d+)?(?:Z|[-+]\d{2}:\d{2})| \d{1,2}:\d{1,2}:\d{1,2}(?:[.,]\d+)?)?$/

/**
 * Resolves the type and value of an unquoted scalar. `isDated`: whether it may be a timestamp. Source: resolve of
 * go-yaml 2.
 */
export function resolvePlain(text: string, isDated = true): Scalar {
  if (text !== '' && !HINTED.test(text)) return { tag: 'str', value: text }
  const known = words.get(text)
  if (known) return known
  const first = text.charCodeAt(0)
  if (first === 0x2e) {
    const value = FRACTION.test(text) ? Number(text.replaceAll('_', '')) : Number.NaN
    return Number.isFinite(value) ? { tag: 'float', value } : { tag: 'str', value: text }
  }
  if (first !== 0x2b && first !== 0x2d && (first < 0x30 || first > 0x39)) return { tag: 'str', value: text }
  const dated = isDated ? DATE.exec(text) : null
  if (dated && Number(dated[1]) >= 1 && Number(dated[1]) <= 12 && Number(dated[2]) >= 1 && Number(dated[2]) <= 31)
    return { tag: 'timestamp', value: text }
  const plain = text.replaceAll('_', '')
  const whole = INTEGER.test(plain) ? readInteger(plain) : undefined
  if (whole !== undefined) return { tag: 'int', value: whole }
  if (FLOAT.test(plain)) {
    const value = Number(plain)
    if (Number.isFinite(value)) return { tag: 'float', value: asJsonReads(value) }
  }
  return { tag: 'str', value: text }
}

/**
 * Converts a float as the detour through JSON does: JSON writes whole numbers below 1e21 without an exponent, so those
 * within int64 become integers.
 */
function asJsonReads(value: number): number | bigint {
  if (!Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 2 ** 63) return value
  return BigInt(String(value))
}

/** Undefined beyond int64, and beyond uint64 for texts without a sign. */
function readInteger(text: string): number | bigint | undefined {
  const negative = text.startsWith('-')
  const digits = /^[-+]/.test(text) ? text.slice(1) : text
  const value = /^0[0-7]+$/.test(digits) ? BigInt(`0o${digits}`) : /^[0-9]+$/.test(digits) ? parseInteger(digits) : BigInt(digits)
  const signed = negative ? -value : value
  if (signed < -(2n ** 63n) || signed > (digits === text ? 2n ** 64n : 2n ** 63n) - 1n) return undefined
  const number = Number(signed)
  return Number.isSafeInteger(number) ? (number === 0 ? 0 : number) : signed
}

/** `1:30` is 90 to other parsers. go-yaml reads it as text, but quotes it. */
const BASE60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/

/** Whether an unquoted text is read as the same text again, here and by other YAML 1.1 parsers. */
export const staysText = (text: string): boolean => resolvePlain(text).tag === 'str' && !BASE60.test(text)
