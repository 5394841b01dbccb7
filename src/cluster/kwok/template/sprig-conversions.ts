import type { Json } from '../../../api/meta/object.ts'
import { FunctionError } from './errors.ts'
import { declare, float, type TemplateFunction } from './functions.ts'
import { GoFloat } from './nodes.ts'
import { jsonText, plainValue } from './plain.ts'
import { isTruthy, kindName, printed, type TemplateValue, templateMap, typeName } from './values.ts'

/** Whether sprig treats a value as empty: as templates do. */
export const isEmpty = (value: TemplateValue): boolean => !isTruthy(value)

const INTEGER = /^[+-]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/
const MAX_INT = 2n ** 63n - 1n

/** Converts a value to an integer, and to 0 if it is none. Source: spf13/cast. */
export function integerOf(value: TemplateValue): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (value instanceof GoFloat) return Number.isFinite(value.value) ? wrapped(BigInt(Math.trunc(value.value))) : 0n
  if (typeof value !== 'string' && typeof value !== 'number') return 0n
  const text = `${value}`.replace(/\.0*$/, '')
  if (text.length > 66 || !INTEGER.test(text)) return 0n
  const digits = text.replace(/^[+-]/, '').replace(/^0(?=[0-7])/, '0o')
  const integer = text.startsWith('-') ? -BigInt(digits) : BigInt(digits)
  return integer > MAX_INT || integer < -MAX_INT - 1n ? 0n : integer
}

/** Wraps an integer to 64 bits, as Go's arithmetic does. */
export const wrapped = (value: bigint): bigint => BigInt.asIntN(64, value)

const FLOAT = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/

/** Converts a value to a float, and to 0 if it is none. */
export function floatOf(value: TemplateValue): number {
  if (value instanceof GoFloat) return value.value
  if (typeof value === 'bigint' || typeof value === 'number') return Number(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'string' && FLOAT.test(value) ? Number(value) : 0
}

/** Parses JSON, whose numbers become floats. Undefined if it is invalid. */
function parsedJson(text: string): TemplateValue {
  const convert = (value: Json): TemplateValue => {
    if (typeof value === 'number') return float(value)
    if (typeof value !== 'object' || value === null) return value
    return Array.isArray(value) ? value.map(convert) : templateMap(Object.entries(value).map(([key, member]) => [key, convert(member)]))
  }
  try {
    return convert(JSON.parse(text) as Json)
  } catch {
    return undefined
  }
}

function mustParse(text: string): TemplateValue {
  const value = parsedJson(text)
  if (value === undefined) throw new FunctionError('invalid JSON')
  return value
}

function roundedTo(value: TemplateValue, places: bigint): GoFloat {
  const power = 10 ** Number(places)
  const digits = power * floatOf(value)
  const fraction = digits - Math.trunc(digits)
  return float((fraction >= 0.5 ? Math.ceil(digits) : Math.floor(digits)) / power)
}

function divided(a: TemplateValue, b: TemplateValue, of: (a: bigint, b: bigint) => bigint): bigint {
  const divisor = integerOf(b)
  if (divisor === 0n) throw new FunctionError('runtime error: integer divide by zero')
  return wrapped(of(integerOf(a), divisor))
}

const integers = (combine: (a: bigint, b: bigint) => bigint): TemplateFunction =>
  declare('any, any...', (first: TemplateValue, ...others: TemplateValue[]) =>
    others.reduce<bigint>((result, other) => wrapped(combine(result, integerOf(other))), integerOf(first)),
  )

const floats = (combine: (a: number, b: number) => number): TemplateFunction =>
  declare('any, any...', (first: TemplateValue, ...others: TemplateValue[]) =>
    float(others.reduce<number>((result, other) => combine(result, floatOf(other)), floatOf(first))),
  )

function quotient(a: number, b: number): number {
  if (b === 0) throw new FunctionError('decimal division by 0')
  return a / b
}

// Math.max does not accept bigint.
function larger(a: bigint, b: bigint): bigint {
  if (b > a) return b
  return a
}

const max = integers(larger)

/** Returns Go's name of a type, as `%T` prints it. */
const typeOf = (value: TemplateValue): string => (value === null ? '<nil>' : typeName(value))

/** Functions of sprig for defaults, conversions, numbers and JSON. Source: Masterminds/sprig 3.3. */
export const SPRIG_CONVERSIONS: Readonly<Record<string, TemplateFunction>> = {
  default: declare('any, any...', (fallback: TemplateValue, value: TemplateValue) => (isEmpty(value) ? fallback : value)),
  empty: declare('any', isEmpty),
  coalesce: declare('any...', (...values: TemplateValue[]) => values.find(value => !isEmpty(value)) ?? null),
  all: declare('any...', (...values: TemplateValue[]) => !values.some(isEmpty)),
  any: declare('any...', (...values: TemplateValue[]) => values.some(value => !isEmpty(value))),
  ternary: declare('any, any, bool', (ifTrue: TemplateValue, ifFalse: TemplateValue, condition: boolean) => (condition ? ifTrue : ifFalse)),
  fail: declare('string', (message: string) => {
    throw new FunctionError(message)
  }),
  typeOf: declare('any', typeOf),
  typeIs: declare('string, any', (name: string, value: TemplateValue) => typeOf(value) === name),
  kindOf: declare('any', kindName),
  kindIs: declare('string, any', (name: string, value: TemplateValue) => kindName(value) === name),
  deepEqual: declare('any, any', (a: TemplateValue, b: TemplateValue) => typeName(a) === typeName(b) && jsonText(a) === jsonText(b)),
  toJson: declare('any', (value: TemplateValue) => jsonText(value)),
  mustToJson: declare('any', (value: TemplateValue) => jsonText(value)),
  toRawJson: declare('any', (value: TemplateValue) =>
    JSON.stringify(plainValue(value), (_, member: unknown) => (typeof member === 'bigint' ? Number(member) : member)),
  ),
  toPrettyJson: declare('any', (value: TemplateValue) => jsonText(value, '  ')),
  fromJson: declare('string', (text: string) => parsedJson(text) ?? null),
  mustFromJson: declare('string', mustParse),
  toString: declare('any', (value: TemplateValue) => printed(value)),
  atoi: declare('string', (text: string) => (/^[+-]?[0-9]+$/.test(text) ? integerOf(text.replace(/^([+-]?)0+(?=[0-9])/, '$1')) : 0n)),
  int: declare('any', integerOf),
  int64: declare('any', integerOf),
  float64: declare('any', (value: TemplateValue) => float(floatOf(value))),
  toDecimal: declare('any', (value: TemplateValue) =>
    /^[+-]?[0-7]{1,21}$/.test(printed(value)) ? integerOf(printed(value).replace(/^([+-]?)/, '$10o')) : 0n,
  ),
  add: declare('any...', (...values: TemplateValue[]) => values.reduce<bigint>((sum, value) => wrapped(sum + integerOf(value)), 0n)),
  add1: declare('any', (value: TemplateValue) => wrapped(integerOf(value) + 1n)),
  sub: declare('any, any', (a: TemplateValue, b: TemplateValue) => wrapped(integerOf(a) - integerOf(b))),
  mul: integers((a, b) => a * b),
  div: declare('any, any', (a: TemplateValue, b: TemplateValue) => divided(a, b, (x, y) => x / y)),
  mod: declare('any, any', (a: TemplateValue, b: TemplateValue) => divided(a, b, (x, y) => x % y)),
  max,
  biggest: max,
  min: integers((a, b) => (larger(a, b) === a ? b : a)),
  addf: declare('any...', (...values: TemplateValue[]) => float(values.reduce<number>((sum, value) => sum + floatOf(value), 0))),
  add1f: declare('any', (value: TemplateValue) => float(floatOf(value) + 1)),
  subf: floats((a, b) => a - b),
  mulf: floats((a, b) => a * b),
  divf: floats(quotient),
  maxf: floats(Math.max),
  minf: floats(Math.min),
  floor: declare('any', (value: TemplateValue) => float(Math.floor(floatOf(value)))),
  ceil: declare('any', (value: TemplateValue) => float(Math.ceil(floatOf(value)))),
  round: declare('any, int, any...', (value: TemplateValue, places: bigint) => roundedTo(value, places)),
}
