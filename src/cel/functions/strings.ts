import { indexOfText, lastIndexOfText } from '../../lib/find-text.ts'
import { SHORT_ESCAPES } from '../../lib/go-quote.ts'
import type { Steps } from '../../lib/steps.ts'
import { longCall } from '../long-work.ts'
import { TextList } from '../values/list.ts'
import { printValue } from '../values/print.ts'
import { codePoints, pointsOf } from '../values/strings.ts'
import { CelError, type CelList, type Int, noSuchOverload, type Value } from '../values/value.ts'
import { spendWork } from '../work.ts'
import { formatText } from './format-text.ts'
import type { Implementations } from './implementation.ts'
import { changeText, joinParts, replaceInSteps, textParts } from './long-texts.ts'

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
  if (part === '') return codePoints(text)
  return text === '' ? outOfRange(-1) : pointsBefore(text, lastIndexOfText(text, part))
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

/** @param limit maximum number of replacements, negative for all */
const replace = (text: string, from: string, to: string, limit: Int): Value => longCall(() => replaceInSteps(text, { from, to, limit }))

/**
 * Splits a text, in steps.
 * @param limit maximum number of parts, the last of which has the rest. 0 for none, negative for all.
 */
function* split(text: string, separator: string, limit: Int): Steps<TextList> {
  if (limit === 0) return new TextList([])
  const parts = yield* textParts(text, separator)
  if (limit < 0 || parts.length <= limit) return new TextList(parts)
  const first = parts.slice(0, Number(limit) - 1)
  first.push(yield* joinParts(parts.slice(Number(limit) - 1), separator))
  return new TextList(first)
}

const splitString = (text: string, separator: string, limit: Int): Value => longCall(() => split(text, separator, limit))

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

// biome-ignore lint/suspicious/noControlCharactersInRegex: all characters of ASCII
const ASCII = /^[\u0000-\u007f]*$/

const lowerAscii = (text: string): string => (ASCII.test(text) ? text.toLowerCase() : text.replace(/[A-Z]+/g, part => part.toLowerCase()))
const upperAscii = (text: string): string => (ASCII.test(text) ? text.toUpperCase() : text.replace(/[a-z]+/g, part => part.toUpperCase()))

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are escaped
const escaped = (text: string): string => text.replace(/["\\\u0007\b\f\n\r\t\v]/g, char => SHORT_ESCAPES[char] ?? char)

const quote = (text: string): string => `"${changeText(text.toWellFormed(), escaped)}"`

/** UTF-16 units of white space of Go's unicode.IsSpace. */
const SPACE = new Set(
  Array.from(
    '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
    char => char.charCodeAt(0),
  ),
)
const isSpaceAt = (text: string, index: number): boolean => SPACE.has(text.charCodeAt(index))

/**
 * Trims white space at both ends, without a regular expression, which would start a match at every space and take
 * quadratic time.
 */
export function trimSpace(text: string): string {
  let end = text.length
  while (end > 0 && isSpaceAt(text, end - 1)) end--
  let start = 0
  while (start < end && isSpaceAt(text, start)) start++
  return text.slice(start, end)
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
  string_lower_ascii: (text: string) => changeText(text, lowerAscii),
  string_replace_string_string: (text: string, from: string, to: string) => replace(text, from, to, -1),
  string_replace_string_string_int: replace,
  string_split_string: (text: string, separator: string) => splitString(text, separator, -1),
  string_split_string_int: splitString,
  strings_quote: quote,
  string_substring_int: substring,
  string_substring_int_int: substringRange,
  string_trim: trimSpace,
  string_upper_ascii: (text: string) => changeText(text, upperAscii),
}
