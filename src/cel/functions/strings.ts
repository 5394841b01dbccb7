import { indexOfText, lastIndexOfText, splitText } from '../../lib/find-text.ts'
import { SHORT_ESCAPES } from '../../lib/go-quote.ts'
import { TextList } from '../values/list.ts'
import { printValue } from '../values/print.ts'
import { codePoints, pointsOf } from '../values/strings.ts'
import { CelError, type CelList, type Int, noSuchOverload, type Value } from '../values/value.ts'
import { spendWork } from '../work.ts'
import { formatText } from './format-text.ts'
import type { Implementations } from './implementation.ts'

/** The error for an invalid index, with cel-go's message. */
const outOfRange = (index: Int): CelError => new CelError(`index out of range: ${index}`)

/** Returns a character. The index after the last character gives an empty text. */
function charAt(text: string, index: Int): Value {
  const points = pointsOf(text)
  if (index < 0 || index > points.length) return outOfRange(index)
  return points.slice(Number(index), Number(index) + 1)
}

/** Converts an index from UTF-16 units to code points. */
const pointsBefore = (text: string, unit: number): number => (unit < 0 ? -1 : codePoints(text.slice(0, unit)))

/** Returns the index of a part at or after `from`. An empty part is found at `from`. */
function indexOf(text: string, part: string, from: Int): Value {
  if (part === '') return from
  if (from < 0) return outOfRange(from)
  const points = pointsOf(text)
  if (from >= points.length) return -1
  const start = points.slice(0, Number(from)).length
  return pointsBefore(text, indexOfText(text, part, start))
}

/** Returns the last index of a part at or before `from`. */
function lastIndexOf(text: string, part: string, from: Int): Value {
  if (part === '') return from
  if (from < 0) return outOfRange(from)
  const points = pointsOf(text)
  if (from >= points.length) return -1
  return pointsBefore(text, lastIndexOfText(text, part, points.slice(0, Number(from)).length))
}

/** Returns the last index of a part. */
function lastIndexOfAny(text: string, part: string): Value {
  const length = codePoints(text)
  return part === '' ? length : lastIndexOf(text, part, length - 1)
}

/** Returns the text from `start` to its end. */
function substring(text: string, start: Int): Value {
  const points = pointsOf(text)
  return start < 0 || start > points.length ? outOfRange(start) : points.slice(Number(start))
}

/** Returns the text from `start` to `end`, exclusive. */
function substringRange(text: string, start: Int, end: Int): Value {
  const points = pointsOf(text)
  if (start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`)
  if (start < 0 || start > points.length) return outOfRange(start)
  return end < 0 || end > points.length ? outOfRange(end) : points.slice(Number(start), Number(end))
}

/** If the result cannot grow by more than this many characters, occurrences are not counted first. */
const MOST_UNCOUNTED = 100_000

/** Returns the exact growth of a replacement, in characters. */
const grown = (text: string, from: string, to: string): number =>
  (from === '' ? text.length + 1 : splitText(text, from).length - 1) * (to.length - from.length)

/**
 * Replaces parts of a text.
 * @param limit maximum number of replacements, negative for all.
 */
function replace(text: string, from: string, to: string, limit: Int): Value {
  if (limit === 0) return text
  spendWork(text.length)
  if (to.length > from.length)
    spendWork(Math.ceil((1 + text.length) / (from.length || 1)) * (to.length - from.length) > MOST_UNCOUNTED ? grown(text, from, to) : 0)
  if (limit < 0) return from === '' ? Array.from(text).reduce((sum, point) => `${sum}${point}${to}`, to) : splitText(text, from).join(to)
  const parts = from === '' ? ['', ...Array.from(text), ''] : splitText(text, from)
  const first = parts.slice(0, Number(limit) + 1)
  const rest = parts.slice(Number(limit) + 1)
  // An empty part leaves nothing to keep between characters; otherwise the parts that are not replaced are kept.
  return first.join(to) + rest.map(part => from + part).join('')
}

/**
 * Splits a text.
 * @param limit maximum number of parts, the last of which has the rest. 0 for none, negative for all.
 */
function splitString(text: string, separator: string, limit: Int): Value {
  if (limit === 0) return new TextList([])
  const parts = separator === '' ? Array.from(text) : splitText(text, separator)
  if (limit < 0 || parts.length <= limit) return new TextList(parts)
  return new TextList([...parts.slice(0, Number(limit) - 1), parts.slice(Number(limit) - 1).join(separator)])
}

/** Joins a list of texts. Elements are checked whatever the declared type of the list. */
function join(list: CelList, separator: string): Value {
  const parts: string[] = []
  for (let i = 0; i < list.size; i++) {
    const part = list.at(i)
    if (typeof part !== 'string') return new CelError(`join: invalid input: ${printValue(part)}`)
    spendWork(part.length + separator.length)
    parts.push(part)
  }
  return parts.join(separator)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are escaped
const quote = (text: string): string => `"${text.toWellFormed().replace(/["\\\u0007\b\f\n\r\t\v]/g, char => SHORT_ESCAPES[char] ?? char)}"`

/** White space of Go's unicode.IsSpace. */
const SPACE = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const LEADING = new RegExp(`^${SPACE}+`)

/**
 * Trims white space at both ends. The end is trimmed without a regular expression, which would start a match at every
 * space and take quadratic time.
 */
export function trimSpace(text: string): string {
  let end = text.length
  while (end > 0 && LEADING.test(text.charAt(end - 1))) end--
  return text.slice(0, end).replace(LEADING, '')
}

/** Makes an operator on two texts. Such operators have no guard, so it checks its arguments. */
const ofTexts =
  (test: (text: string, part: string) => boolean) =>
  (text: Value, part: Value): Value => {
    if (typeof text !== 'string') return noSuchOverload(text)
    return typeof part === 'string' ? test(text, part) : noSuchOverload(part)
  }

/** Standard functions of texts, and cel-go's extension in version 2. Indexes are in code points. */
export const STRING_FUNCTIONS: Implementations = {
  contains_string: ofTexts((text, part) => indexOfText(text, part) >= 0),
  ends_with_string: ofTexts((text, part) => text.endsWith(part)),
  starts_with_string: ofTexts((text, part) => text.startsWith(part)),
  string_char_at_int: charAt,
  string_format: formatText,
  string_index_of_string: (text: string, part: string) => indexOf(text, part, 0),
  string_index_of_string_int: indexOf,
  list_join: (list: CelList) => join(list, ''),
  list_join_string: join,
  string_last_index_of_string: lastIndexOfAny,
  string_last_index_of_string_int: lastIndexOf,
  string_lower_ascii: (text: string) => text.replace(/[A-Z]+/g, part => part.toLowerCase()),
  string_replace_string_string: (text: string, from: string, to: string) => replace(text, from, to, -1),
  string_replace_string_string_int: replace,
  string_split_string: (text: string, separator: string) => splitString(text, separator, -1),
  string_split_string_int: splitString,
  strings_quote: quote,
  string_substring_int: substring,
  string_substring_int_int: substringRange,
  string_trim: trimSpace,
  string_upper_ascii: (text: string) => text.replace(/[a-z]+/g, part => part.toUpperCase()),
}
