import { indexOfText, lastIndexOfText, splitText } from '../../lib/find-text.ts'
import { SHORT_ESCAPES } from '../../lib/go-quote.ts'
import { TextList } from '../values/list.ts'
import { printValue } from '../values/print.ts'
import { codePoints, pointsOf } from '../values/strings.ts'
import { CelError, type CelList, type Int, noSuchOverload, type Value } from '../values/value.ts'
import { spendWork } from '../work.ts'
import { formatText } from './format-text.ts'
import type { Implementations } from './implementation.ts'

/** cel-go's words, which name the index and not the text. */
const outOfRange = (index: Int): CelError => new CelError(`index out of range: ${index}`)

/** The index behind the last character gives an empty text. */
function charAt(text: string, index: Int): Value {
  const points = pointsOf(text)
  if (index < 0 || index > points.length) return outOfRange(index)
  return points.slice(Number(index), Number(index) + 1)
}

/** Code points before a unit of the text. */
const pointsBefore = (text: string, unit: number): number => (unit < 0 ? -1 : codePoints(text.slice(0, unit)))

/** An empty part is found where the search begins. */
function indexOf(text: string, part: string, from: Int): Value {
  if (part === '') return from
  if (from < 0) return outOfRange(from)
  const points = pointsOf(text)
  if (from >= points.length) return -1
  const start = points.slice(0, Number(from)).length
  return pointsBefore(text, indexOfText(text, part, start))
}

/** The last place at or before `from`. */
function lastIndexOf(text: string, part: string, from: Int): Value {
  if (part === '') return from
  if (from < 0) return outOfRange(from)
  const points = pointsOf(text)
  if (from >= points.length) return -1
  return pointsBefore(text, lastIndexOfText(text, part, points.slice(0, Number(from)).length))
}

/** From the end on. */
function lastIndexOfAny(text: string, part: string): Value {
  const length = codePoints(text)
  return part === '' ? length : lastIndexOf(text, part, length - 1)
}

/** To the end. */
function substring(text: string, start: Int): Value {
  const points = pointsOf(text)
  return start < 0 || start > points.length ? outOfRange(start) : points.slice(Number(start))
}

/** `end` is not included. */
function substringRange(text: string, start: Int, end: Int): Value {
  const points = pointsOf(text)
  if (start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`)
  if (start < 0 || start > points.length) return outOfRange(start)
  return end < 0 || end > points.length ? outOfRange(end) : points.slice(Number(start), Number(end))
}

/** By so many characters a text may grow that nobody counts how often it holds what is replaced. */
const MOST_UNCOUNTED = 100_000

/** Characters by which a text grows at most. */
const grown = (text: string, from: string, to: string): number => (from === '' ? text.length + 1 : splitText(text, from).length - 1) * (to.length - from.length)

/** @param limit how many at most; negative for all. */
function replace(text: string, from: string, to: string, limit: Int): Value {
  if (limit === 0) return text
  spendWork(text.length)
  if (to.length > from.length)
    spendWork(Math.ceil((1 + text.length) / (from.length || 1)) * (to.length - from.length) > MOST_UNCOUNTED ? grown(text, from, to) : 0)
  if (limit < 0) return from === '' ? Array.from(text).reduce((sum, point) => `${sum}${point}${to}`, to) : splitText(text, from).join(to)
  const parts = from === '' ? ['', ...Array.from(text), ''] : splitText(text, from)
  const first = parts.slice(0, Number(limit) + 1)
  const rest = parts.slice(Number(limit) + 1)
  // Between characters there is nothing to keep; between parts there is what was looked for.
  return first.join(to) + rest.map(part => from + part).join('')
}

/** `limit`: how many parts at most, the last of which has the rest; 0 for none, negative for all. */
function split(text: string, separator: string, limit: Int): Value {
  if (limit === 0) return new TextList([])
  const parts = separator === '' ? Array.from(text) : splitText(text, separator)
  if (limit < 0 || parts.length <= limit) return new TextList(parts)
  return new TextList([...parts.slice(0, Number(limit) - 1), parts.slice(Number(limit) - 1).join(separator)])
}

/** Only texts can be joined, whatever the list was declared to hold. */
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

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
const quote = (text: string): string => `"${text.toWellFormed().replace(/["\\\u0007\b\f\n\r\t\v]/g, char => SHORT_ESCAPES[char] ?? char)}"`

/** White space as Go's unicode.IsSpace has it. */
const SPACE = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const LEADING = new RegExp(`^${SPACE}+`)

/** Without a pattern that looks for the end: it would begin anew at each space of a long text. */
export function trimSpace(text: string): string {
  let end = text.length
  while (end > 0 && LEADING.test(text.charAt(end - 1))) end--
  return text.slice(0, end).replace(LEADING, '')
}

/** Of operators that no signature guards: each argument is looked at. */
const ofTexts =
  (test: (text: string, part: string) => boolean) =>
  (text: Value, part: Value): Value => {
    if (typeof text !== 'string') return noSuchOverload(text)
    return typeof part === 'string' ? test(text, part) : noSuchOverload(part)
  }

/** The standard functions of texts and cel-go's extension, version 2. Places are counted in code points. */
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
  string_split_string: (text: string, separator: string) => split(text, separator, -1),
  string_split_string_int: split,
  strings_quote: quote,
  string_substring_int: substring,
  string_substring_int_int: substringRange,
  string_trim: trimSpace,
  string_upper_ascii: (text: string) => text.replace(/[a-z]+/g, part => part.toUpperCase()),
}
