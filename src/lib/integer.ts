/** More digits than anything has that an integer is compared with: int64 has 19. */
const MOST_DIGITS = 64
const BEYOND = 10n ** BigInt(MOST_DIGITS)

/**
 * The integer of a text of decimal digits, behind a minus sign or none. One of more than 64 digits is beyond every range, so that it does not matter which: it is read as 10^64, because making it takes more
 * than linear time.
 */
export function integerOf(text: string): bigint {
  if (text.length <= MOST_DIGITS) return BigInt(text)
  const negative = text.startsWith('-')
  const digits = text.slice(negative ? 1 : 0).replace(/^0+/, '')
  const value = digits.length > MOST_DIGITS ? BEYOND : BigInt(digits)
  return negative ? -value : value
}
