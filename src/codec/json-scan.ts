/**
 * Scans compact JSON written by this program, byte by byte. The JSON is trusted to be well-formed. Offsets are in
 * bytes.
 */

export const QUOTE = 0x22
/** ASCII codes, named after their characters. */
export const COMMA = 0x2c
const MINUS = 0x2d
export const ZERO = 0x30
export const COLON = 0x3a
export const OPEN_BRACKET = 0x5b
export const BACKSLASH = 0x5c
export const CLOSE_BRACKET = 0x5d
export const LETTER_F = 0x66
export const LETTER_N = 0x6e
export const LETTER_T = 0x74
export const LETTER_U = 0x75
const LETTER_Z = 0x5a
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d

/**
 * Returns the end of the value at the offset. Negative if JSON.stringify might spell the value differently: it has a
 * `\\u` escape or a minus.
 */
export function endOfValue(source: Buffer, from: number): number {
  const { length } = source
  let plain = true
  let depth = 0
  let read = from
  for (; read < length; read++) {
    const byte = source[read] ?? 0
    if (byte === QUOTE) {
      for (read++; read < length && source[read] !== QUOTE; read++)
        if (source[read] === BACKSLASH && source[++read] === LETTER_U) plain = false
      if (depth > 0) continue
      read++
      break
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) break
      if (--depth > 0) continue
      read++
      break
    } else if (byte === MINUS) plain = false
    else if (byte === COMMA && depth === 0) break
  }
  return plain ? read : -read
}

const digitAt = (source: Buffer, at: number): number => (source[at] ?? 0) - ZERO
const twoDigits = (source: Buffer, at: number): number => 10 * digitAt(source, at) + digitAt(source, at + 1)

/**
 * Parses `"2006-01-02T15:04:05Z"`, whose opening quote is at the offset, to seconds since 1970; -1 for any other form,
 * or if 32 bits cannot hold the result.
 */
export function secondsAt(source: Buffer, at: number): number {
  if (source[at] !== QUOTE || source[at + 20] !== LETTER_Z || source[at + 21] !== QUOTE) return -1
  const two = (offset: number): number => twoDigits(source, at + offset)
  const year = 100 * two(1) + two(3)
  const seconds = Date.UTC(year, two(6) - 1, two(9), two(12), two(15), two(18)) / 1000
  return year >= 1970 && seconds >= 0 && seconds <= 0xffffffff ? seconds : -1
}

/** Character of a one-letter escape. */
export function unescaped(letter: number): number {
  switch (letter) {
    case 0x62:
      return 0x08
    case LETTER_F:
      return 0x0c
    case LETTER_N:
      return 0x0a
    case 0x72:
      return 0x0d
    case LETTER_T:
      return 0x09
    default:
      return letter
  }
}
