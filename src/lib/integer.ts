/** Limit on the digits that are parsed. Integers are only compared with bounds of at most 19 digits, those of int64. */
const MOST_DIGITS = 64
/** Stands for every integer of more digits. */
const BEYOND = 10n ** BigInt(MOST_DIGITS)

/**
 * Parses decimal digits with an optional minus sign. An integer of more than 64 digits is returned as ±10^64: it
 * exceeds every range, and parsing it would take more than linear time.
 */
export function parseInteger(text: string): bigint {
  if (text.length <= MOST_DIGITS) return BigInt(text)
  const negative = text.startsWith('-')
  const digits = text.slice(negative ? 1 : 0).replace(/^0+/, '')
  const value = digits.length > MOST_DIGITS ? BEYOND : BigInt(digits)
  return negative ? -value : value
}

/** Bounds of Go's int64 and uint64, inclusive. */
export const MIN_INT64 = -(2n ** 63n)
export const MAX_INT64 = 2n ** 63n - 1n
export const MAX_UINT64 = 2n ** 64n - 1n

export const inInt64 = (value: bigint): boolean => value >= MIN_INT64 && value <= MAX_INT64
export const inUint64 = (value: bigint): boolean => value >= 0n && value <= MAX_UINT64

/**
 * Parses an int64 like Go's strconv.ParseInt(text, 10, 64). Undefined if the text is not an integer or is out of range.
 */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined
  const value = parseInteger(text.startsWith('+') ? text.slice(1) : text)
  return inInt64(value) ? value : undefined
}
