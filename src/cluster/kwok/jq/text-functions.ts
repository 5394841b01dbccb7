import { compileRegExp } from '../../../lib/linear-regexp.ts'
import { parseTime } from '../../../meta/time.ts'
import { JqError } from './errors.ts'
import type { JqRun, JqValueFunction } from './filter.ts'
import { boundedText, splitText } from './operators.ts'
import { elementsOf } from './paths.ts'
import { described, isNumber, type JqValue, jsonOf, kindOf } from './values.ts'

/** Makes a function of a text. Other inputs are errors. */
const textual =
  (name: string, of: (text: string, run: JqRun) => JqValue): JqValueFunction =>
  (input, run) => {
    if (typeof input !== 'string') throw new JqError(`${name} cannot be applied to: ${described(input, run.budget)}`)
    run.budget.spendText(input.length)
    return of(input, run)
  }

/** Makes a function of a text and another one. Other values are errors. */
const ofTwo =
  (name: string, of: (text: string, other: string, run: JqRun) => JqValue): JqValueFunction =>
  (input, run, other = null) => {
    if (typeof input !== 'string' || typeof other !== 'string')
      throw new JqError(`${name}(${described(other, run.budget)}) cannot be applied to: ${described(input, run.budget)}`)
    run.budget.spendText(input.length + other.length)
    return of(input, other, run)
  }

/** Reports whether a regular expression in Go's syntax matches. Flags: `i` ignores case, `x` is not supported. */
function test(text: string, expression: JqValue, flags: JqValue, run: JqRun): boolean {
  if (typeof expression !== 'string') throw new JqError(`test cannot be applied to: ${described(expression, run.budget)}`)
  if (flags !== null && (typeof flags !== 'string' || !/^[gin]*$/.test(flags)))
    throw new JqError(`unsupported regular expression flags: ${described(flags, run.budget)}`)
  const pattern = compileRegExp(typeof flags === 'string' && flags.includes('i') ? `(?i)${expression}` : expression)
  if ('fault' in pattern) throw new JqError(`invalid regular expression ${JSON.stringify(expression)}: ${pattern.fault}`)
  if (!pattern.isShort(text)) throw new JqError('the text is too long for the regular expression')
  run.budget.spendText(text.length * expression.length)
  return pattern.foundIn(text)
}

function joinTexts(input: JqValue, separator: JqValue, run: JqRun): JqValue {
  const parts = elementsOf(input, run.budget).map(item => {
    if (item !== null && typeof item === 'object') throw new JqError(`join cannot be applied to: ${described(item, run.budget)}`)
    return item === null ? '' : `${item}`
  })
  if (parts.length === 0) return ''
  if (typeof separator !== 'string' && (parts.length > 1 || separator !== null))
    throw new JqError(`join cannot be applied to: ${described(separator, run.budget)}`)
  run.budget.spend(parts.length)
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  run.budget.spendText(length)
  return boundedText(parts.join(typeof separator === 'string' ? separator : ''))
}

/** Parses JSON of bounded size. Integers become floats, as numbers of objects are. */
function fromJson(text: string, run: JqRun): JqValue {
  run.budget.spend(text.length >> 2)
  try {
    return JSON.parse(text) as JqValue
  } catch {
    throw new JqError(`fromjson cannot be applied to: ${described(text, run.budget)}`)
  }
}

/** Returns the seconds since the epoch of an RFC 3339 time in whole seconds, UTC. */
function dateSeconds(text: string, run: JqRun): JqValue {
  const instant = text.endsWith('Z') ? parseTime(text) : undefined
  if (instant === undefined) throw new JqError(`fromdateiso8601 cannot be applied to: ${described(text, run.budget)}`)
  return instant.seconds
}

const fromDate = textual('fromdateiso8601', dateSeconds)
const toDate: JqValueFunction = (input, run) => {
  if (!isNumber(input) || !(Math.abs(Number(input)) < 1e11))
    throw new JqError(`todateiso8601 cannot be applied to: ${described(input, run.budget)}`)
  return `${new Date(Math.floor(Number(input)) * 1000).toISOString().slice(0, -5)}Z`
}

/** Changes the case of ASCII letters. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, letters => letters.toLowerCase())
const upper = (text: string): string => text.replace(/[a-z]+/g, letters => letters.toUpperCase())

/** Functions of texts. */
export const TEXT_FUNCTIONS: Readonly<Record<string, JqValueFunction>> = {
  'not/0': input => input === null || input === false,
  'type/0': input => kindOf(input),
  'tostring/0': (input, run) => (typeof input === 'string' ? input : boundedText(jsonOf(input, run.budget))),
  'tojson/0': (input, run) => boundedText(jsonOf(input, run.budget)),
  'fromjson/0': textual('fromjson', fromJson),
  'ascii_downcase/0': textual('ascii_downcase', lower),
  'ascii_upcase/0': textual('ascii_upcase', upper),
  'utf8bytelength/0': textual('utf8bytelength', text => BigInt(Buffer.byteLength(text))),
  'startswith/1': ofTwo('startswith', (text, other) => text.startsWith(other)),
  'endswith/1': ofTwo('endswith', (text, other) => text.endsWith(other)),
  'split/1': ofTwo('split', (text, separator, run) => splitText(text, separator, run.budget)),
  'ltrimstr/1': ofTwo('ltrimstr', (text, affix) => (text.startsWith(affix) ? text.slice(affix.length) : text)),
  'rtrimstr/1': ofTwo('rtrimstr', (text, affix) => (text.endsWith(affix) ? text.slice(0, text.length - affix.length) : text)),
  'join/1': (input, run, separator = null) => joinTexts(input, separator, run),
  'test/1': textFlags((text, run, expression) => test(text, expression, null, run)),
  'test/2': textFlags((text, run, expression, flags) => test(text, expression, flags, run)),
  'fromdateiso8601/0': fromDate,
  'fromdate/0': fromDate,
  'todateiso8601/0': toDate,
  'todate/0': toDate,
}

function textFlags(of: (text: string, run: JqRun, expression: JqValue, flags: JqValue) => JqValue): JqValueFunction {
  return (input, run, expression = null, flags = null) => {
    if (typeof input !== 'string') throw new JqError(`test cannot be applied to: ${described(input, run.budget)}`)
    return of(input, run, expression, flags)
  }
}
