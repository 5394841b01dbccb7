import { createHash } from 'node:crypto'
import { quote } from '../../../lib/go-quote.ts'
import { compileRegExp } from '../../../lib/linear-regexp.ts'
import { runAtOnce } from '../../../lib/steps.ts'
import { FunctionError } from './errors.ts'
import { declare, type TemplateFunction } from './functions.ts'
import { isList, printed, type TemplateValue, templateMap } from './values.ts'

/** Longest text that a function may make. */
const MAX_TEXT = 1_000_000

/** Characters that searches for all matches may read. */
const MAX_SEARCHED = 50_000

/** Returns the texts of a list, without nil. A single value is a list of one. */
export function texts(value: TemplateValue): string[] {
  if (isList(value)) return value.filter(item => item !== null && item !== undefined).map(item => printed(item))
  return value === null || value === undefined ? [] : [printed(value)]
}

function repeatText(count: bigint, text: string): string {
  if (count < 0n) throw new FunctionError('strings: negative Repeat count')
  if (BigInt(text.length) * count > BigInt(MAX_TEXT)) throw new FunctionError('the text is too long')
  return text.repeat(Number(count))
}

function indented(spaces: bigint, text: string): string {
  return boundedJoin(`\n${repeatText(spaces, ' ')}`, ['', ...text.split('\n')]).slice(1)
}

/** Joins texts, if the result is not too long. */
function boundedJoin(separator: string, parts: readonly string[]): string {
  const length = parts.reduce((sum, part) => sum + separator.length + part.length, 0)
  if (length > MAX_TEXT) throw new FunctionError('the text is too long')
  return parts.join(separator)
}

function boundedLength(text: string): string {
  if (text.length > MAX_TEXT) throw new FunctionError('the text is too long')
  return text
}

/** Cuts a text to a number of bytes: its beginning, or its end if the number is negative. */
function truncated(count: bigint, text: string): string {
  const bytes = Buffer.from(text)
  const length = Number(count)
  if (length < 0) return bytes.length + length > 0 ? bytes.toString('utf8', bytes.length + length) : text
  return bytes.length > length ? bytes.toString('utf8', 0, length) : text
}

function substring(start: bigint, end: bigint, text: string): string {
  const bytes = Buffer.from(text)
  const [from, to] = [start < 0n ? 0 : Number(start), start >= 0n && (end < 0n || end > BigInt(bytes.length)) ? bytes.length : Number(end)]
  if (from > to || to > bytes.length || to < 0) throw new FunctionError(`slice bounds out of range [${from}:${to}]`)
  return bytes.toString('utf8', from, to)
}

/** Removes the characters of a set from both ends. */
function trimmedOf(set: string, text: string): string {
  const characters = new Set(set)
  const all = Array.from(text)
  let [from, to] = [0, all.length]
  while (from < to && characters.has(all[from] ?? '')) from++
  while (to > from && characters.has(all[to - 1] ?? '')) to--
  return all.slice(from, to).join('')
}

/** Maps `_0`, `_1` and so on to the parts of a text. */
const numbered = (parts: readonly string[]): TemplateValue => templateMap(parts.map((part, i) => [`_${i}`, part]))

function splitAtMost(separator: string, count: bigint, text: string): TemplateValue {
  const parts = text.split(separator)
  const most = Number(count)
  if (most < 0 || parts.length <= most) return numbered(parts)
  return numbered(most === 0 ? [] : [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)])
}

/** Returns matches of a regular expression in Go's syntax, at most `most`. */
function matches(expression: string, text: string, most: number): string[] {
  const pattern = compileRegExp(expression)
  if ('fault' in pattern) throw new FunctionError(pattern.fault)
  if (!pattern.isShort(text)) throw new FunctionError('the text is too long for the regular expression')
  const found: string[] = []
  let searched = 0
  for (let at = 0; found.length < most && at <= text.length; ) {
    // A search may read the text to its end and find one character.
    searched += text.length - at
    if (searched > MAX_SEARCHED) throw new FunctionError('the text is too long for the regular expression')
    const match = runAtOnce(pattern.find(text, at))
    if (match === undefined) break
    const [start, end] = [match.start, match.end]
    found.push(text.slice(start, end))
    at = end > at ? end : at + 1
  }
  return found
}

const digest = (algorithm: string): TemplateFunction =>
  declare('string', (text: string) => createHash(algorithm).update(text).digest('hex'))

/** Upper-cases the first letter of each word. */
const titled = (text: string): string =>
  text.replace(/(^|[^\p{L}\p{N}_'])(\p{L})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())

/** Functions of sprig for texts. Source: Masterminds/sprig 3.3. */
export const SPRIG_TEXTS: Readonly<Record<string, TemplateFunction>> = {
  trim: declare('string', (text: string) => text.trim()),
  trimAll: declare('string, string', trimmedOf),
  trimPrefix: declare('string, string', (prefix: string, text: string) => (text.startsWith(prefix) ? text.slice(prefix.length) : text)),
  trimSuffix: declare('string, string', (suffix: string, text: string) =>
    text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
  ),
  upper: declare('string', (text: string) => text.toUpperCase()),
  lower: declare('string', (text: string) => text.toLowerCase()),
  title: declare('string', titled),
  untitle: declare('string', (text: string) =>
    text.replace(/(^|\s)(\p{L})/gu, (_, before: string, letter: string) => before + letter.toLowerCase()),
  ),
  repeat: declare('int, string', repeatText),
  substr: declare('int, int, string', substring),
  trunc: declare('int, string', truncated),
  nospace: declare('string', (text: string) => text.replace(/\s/g, '')),
  contains: declare('string, string', (part: string, text: string) => text.includes(part)),
  hasPrefix: declare('string, string', (prefix: string, text: string) => text.startsWith(prefix)),
  hasSuffix: declare('string, string', (suffix: string, text: string) => text.endsWith(suffix)),
  replace: declare('string, string, string', (from: string, to: string, text: string) => {
    if (to.length * text.length > MAX_TEXT * 10) throw new FunctionError('the text is too long')
    return boundedLength(text.replaceAll(from, () => to))
  }),
  plural: declare('string, string, int', (one: string, many: string, count: bigint) => (count === 1n ? one : many)),
  quote: declare('any...', (...values: TemplateValue[]) => texts(values).map(quote).join(' ')),
  squote: declare('any...', (...values: TemplateValue[]) =>
    texts(values)
      .map(text => `'${text}'`)
      .join(' '),
  ),
  cat: declare('any...', (...values: TemplateValue[]) => texts(values).join(' ')),
  indent: declare('int, string', indented),
  nindent: declare('int, string', (spaces: bigint, text: string) => `\n${indented(spaces, text)}`),
  split: declare('string, string', (separator: string, text: string) => numbered(text.split(separator))),
  splitn: declare('string, int, string', splitAtMost),
  splitList: declare('string, string', (separator: string, text: string) => text.split(separator)),
  join: declare('string, any', (separator: string, value: TemplateValue) => boundedJoin(separator, texts(value))),
  toStrings: declare('any', texts),
  sortAlpha: declare('any', (value: TemplateValue) => (value === null ? ['<nil>'] : texts(value).sort())),
  b64enc: declare('string', (text: string) => Buffer.from(text).toString('base64')),
  b64dec: declare('string', (text: string) => Buffer.from(text, 'base64').toString()),
  sha1sum: digest('sha1'),
  sha256sum: digest('sha256'),
  sha512sum: digest('sha512'),
  regexMatch: declare('string, string', (expression: string, text: string) => matches(expression, text, 1).length > 0),
  regexFind: declare('string, string', (expression: string, text: string) => matches(expression, text, 1)[0] ?? ''),
  regexFindAll: declare('string, string, int', (expression: string, text: string, most: bigint) =>
    matches(expression, text, most < 0n ? Number.POSITIVE_INFINITY : Number(most)),
  ),
  regexQuoteMeta: declare('string', (text: string) => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')),
}
