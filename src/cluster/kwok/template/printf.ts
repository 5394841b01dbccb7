import { formatDouble, plainDouble } from '../../../lib/format-double.ts'
import { quote } from '../../../lib/go-quote.ts'
import { FunctionError } from './errors.ts'
import { GoFloat } from './nodes.ts'
import { isList, isMap, memberOf, printed, sortedKeys, type TemplateValue, typeName } from './values.ts'

/** Widest padding and precision. */
const MAX_WIDTH = 1000

/** Prints values as Go's Sprint: with spaces between two that are not strings. */
export function printAll(values: readonly TemplateValue[]): string {
  let text = ''
  for (const [i, value] of values.entries()) {
    if (i > 0 && !isText(value) && !isText(values[i - 1])) text += ' '
    text += printed(value)
  }
  return text
}

/** Whether Go treats a value as a string. */
const isText = (value: TemplateValue): boolean => typeof value === 'string' || typeof value === 'number'

/** A verb with its flags. */
interface Verb {
  readonly flags: string
  readonly width: number
  readonly precision: number | undefined
  readonly letter: string
}

const VERB = /%(?:([-+# 0]*)([0-9]{0,4})(?:\.([0-9]{0,4}))?([a-zA-Z%]))?/g

/**
 * Formats values as Go's Sprintf. Verbs: v, s, d, q, t, f, e, g, x, X, o, b, c, T and %. Throws FunctionError for other
 * ones.
 */
export function formatted(format: string, values: readonly TemplateValue[]): string {
  let next = 0
  const text = format.replace(VERB, (_, flags = '', width = '', precision?: string, letter = '') => {
    if (letter === '') return '%!(NOVERB)'
    if (letter === '%') return '%'
    if (Number(width) > MAX_WIDTH || Number(precision ?? 0) > MAX_WIDTH)
      throw new FunctionError(`a width of more than ${MAX_WIDTH} is not supported`)
    if (next >= values.length) return `%!${letter}(MISSING)`
    const value = values[next++]
    const verb = { flags, width: Number(width), precision: precision === undefined ? undefined : Number(precision), letter }
    return verbText(verb, value)
  })
  if (next >= values.length) return text
  const extra = values.slice(next).map(value => (value === null || value === undefined ? '<nil>' : `${typeName(value)}=${printed(value)}`))
  return `${text}%!(EXTRA ${extra.join(', ')})`
}

function padded(text: string, { flags, width }: Verb, value: TemplateValue): string {
  const missing = width - Array.from(text).length
  if (missing <= 0) return text
  if (flags.includes('-')) return text + ' '.repeat(missing)
  const isNumber = typeof value === 'bigint' || value instanceof GoFloat
  if (!flags.includes('0') || !isNumber) return ' '.repeat(missing) + text
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  return sign + '0'.repeat(missing) + text.slice(sign.length)
}

/** Formats a value. Padding applies to each element of lists and maps. */
function verbText(verb: Verb, value: TemplateValue): string {
  if (isList(value) && !verb.flags.includes('#') && verb.letter !== 'T') return `[${value.map(item => verbText(verb, item)).join(' ')}]`
  if (isMap(value) && !verb.flags.includes('#') && verb.letter !== 'T')
    return `map[${sortedKeys(value)
      .map(key => `${verbText(verb, key)}:${verbText(verb, memberOf(value, key))}`)
      .join(' ')}]`
  return padded(leafText(verb, value), verb, value)
}

function leafText(verb: Verb, value: TemplateValue): string {
  const { letter } = verb
  if (letter === 'T') return value === null || value === undefined ? '<nil>' : typeName(value)
  if (value === null || value === undefined) return letter === 'v' ? '<nil>' : `%!${letter}(<nil>)`
  if (letter === 'v') return verb.flags.includes('#') ? goSyntax(value) : signed(verb, value, printed(value))
  if (typeof value === 'string' || typeof value === 'number') return stringVerb(verb, `${value}`) ?? mismatch(verb, value)
  if (typeof value === 'bigint') return integerVerb(verb, value) ?? mismatch(verb, value)
  if (value instanceof GoFloat) return floatVerb(verb, value.value) ?? mismatch(verb, value)
  return letter === 't' ? `${value}` : mismatch(verb, value)
}

const mismatch = (verb: Verb, value: TemplateValue): string =>
  `%!${verb.letter}(${typeName(value)}=${padded(typeof value === 'string' && verb.precision !== undefined ? Array.from(value).slice(0, verb.precision).join('') : printed(value), verb, value)})`

const signed = ({ flags }: Verb, value: TemplateValue, text: string): string =>
  (typeof value === 'bigint' || value instanceof GoFloat) && flags.includes('+') && !text.startsWith('-') ? `+${text}` : text

function stringVerb({ letter, precision }: Verb, text: string): string | undefined {
  const kept = precision === undefined ? text : Array.from(text).slice(0, precision).join('')
  switch (letter) {
    case 's':
      return kept
    case 'q':
      return quote(kept)
    case 'x':
      return Buffer.from(kept).toString('hex')
    case 'X':
      return Buffer.from(kept).toString('hex').toUpperCase()
    default:
      return undefined
  }
}

const RADIX: Readonly<Record<string, number>> = { d: 10, x: 16, X: 16, o: 8, b: 2 }

function integerVerb(verb: Verb, value: bigint): string | undefined {
  const { letter, flags } = verb
  if (letter === 'c') return value >= 0n && value <= 0x10ffffn ? String.fromCodePoint(Number(value)) : '\ufffd'
  if (letter === 'q') return `'${value >= 0n && value <= 0x10ffffn ? String.fromCodePoint(Number(value)) : '\ufffd'}'`
  const radix = Object.hasOwn(RADIX, letter) ? RADIX[letter] : undefined
  if (radix === undefined) return undefined
  const digits = (value < 0n ? -value : value).toString(radix)
  const prefix = flags.includes('#') && radix === 16 ? `0${letter}` : ''
  const sign = value < 0n ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  return `${sign}${prefix}${letter === 'X' ? digits.toUpperCase() : digits}`
}

function floatVerb(verb: Verb, value: number): string | undefined {
  switch (verb.letter) {
    case 'f':
    case 'F':
      return signed(
        verb,
        new GoFloat(value),
        Math.abs(value) < 1e21 ? value.toFixed(Math.min(verb.precision ?? 6, 100)) : plainDouble(value),
      )
    case 'e':
      return signed(verb, new GoFloat(value), value.toExponential(Math.min(verb.precision ?? 6, 100)).replace(/e([+-])(\d)$/, 'e$10$2'))
    case 'g':
      return signed(
        verb,
        new GoFloat(value),
        verb.precision === undefined
          ? formatDouble(value)
          : formatDouble(Number(value.toPrecision(Math.max(1, Math.min(verb.precision, 100))))),
      )
    default:
      return undefined
  }
}

/** Prints a value as Go's `%#v`. */
export function goSyntax(value: TemplateValue): string {
  if (value === null || value === undefined) return '<nil>'
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return quote(`${value}`)
  if (value instanceof GoFloat) return formatDouble(value.value)
  if (isList(value)) return `[]interface {}{${value.map(interfaceSyntax).join(', ')}}`
  if (!isMap(value)) return `${value}`
  return `map[string]interface {}{${sortedKeys(value)
    .map(key => `${quote(key)}:${interfaceSyntax(memberOf(value, key))}`)
    .join(', ')}}`
}

const interfaceSyntax = (value: TemplateValue): string => (value === null || value === undefined ? 'interface {}(nil)' : goSyntax(value))
