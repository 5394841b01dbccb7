import { type Key, key } from './revision.ts'

/** Characters of names, in the order of their bytes. */
const NAME_CHARACTERS = '-./0123456789:abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
/** Characters in which keys are compared. Their numbers are exact in a float64. */
const NAME_WIDTH = 9
const DIGIT_WIDTH = 15
/** Equal characters before the first that differs that may change, because a sum carries into them. */
const CARRIES = 2

/**
 * Estimates a key that is `factor` times as far behind `to` as `to` is behind `from`, as if names in between were
 * evenly distributed. The keys after the first character that differs are compared as numbers: decimal ones if they
 * are, or else numbers of the characters of names. Undefined if there is no such number, for example at the end of a
 * group of names.
 */
export function keyAhead(from: Key, to: Key, factor: number): Key | undefined {
  let common = 0
  while (common < to.length && from[common] === to[common]) common++
  if (common === to.length) return undefined
  const isDecimal = isDigits(from, common) && isDigits(to, common)
  const characters = isDecimal ? DIGITS : NAME_CHARACTERS
  let start = common
  while (start > 0 && common - start < CARRIES && characters.includes(to[start - 1] ?? '') && to[start - 1] !== '/') start--
  const width = isDecimal ? DIGIT_WIDTH : NAME_WIDTH
  const end = numberAt(to, start, width, characters)
  const ahead = Math.floor(end + (end - numberAt(from, start, width, characters)) * factor)
  if (ahead <= end || ahead >= characters.length ** width) return undefined
  return key(to.slice(0, start) + digitsOf(ahead, width, characters))
}

const isDigits = (text: string, start: number): boolean => {
  for (let at = start; at < text.length && at < start + DIGIT_WIDTH; at++)
    if (text[at] !== '\0' && !DIGITS.includes(text[at] ?? '')) return false
  return true
}

/**
 * Number that characters of a text stand for. Others count as the nearest before them, missing ones as the first.
 */
function numberAt(text: string, start: number, width: number, characters: string): number {
  let number = 0
  for (let at = start; at < start + width; at++) {
    let digit = characters.length - 1
    while (digit > 0 && !(at < text.length && text.charCodeAt(at) >= characters.charCodeAt(digit))) digit--
    number = number * characters.length + digit
  }
  return number
}

function digitsOf(number: number, width: number, characters: string): string {
  let text = ''
  for (let rest = number, i = 0; i < width; i++, rest = Math.floor(rest / characters.length))
    text = (characters[rest % characters.length] ?? '') + text
  return text
}
