import { FunctionError } from './errors.ts'
import { declare, type TemplateFunction } from './functions.ts'
import { GoFloat } from './nodes.ts'
import { formatted, printAll } from './printf.ts'
import { isList, isMap, isTruthy, memberOf, type TemplateValue, typeName } from './values.ts'

/** Kind of a value that can be compared. */
type BasicKind = 'bool' | 'int' | 'float' | 'string'

function basicKind(value: TemplateValue): BasicKind | undefined {
  switch (typeof value) {
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'string':
    case 'number':
      return 'string'
    default:
      return value instanceof GoFloat ? 'float' : undefined
  }
}

const isNilValue = (value: TemplateValue): boolean => value === null || value === undefined

/** Reports whether two values are equal. Throws FunctionError if their types cannot be compared. */
function equal(a: TemplateValue, b: TemplateValue): boolean {
  if (isNilValue(a) || isNilValue(b)) return isNilValue(a) && isNilValue(b)
  const [kind, other] = [basicKind(a), basicKind(b)]
  if (kind !== other) throw new FunctionError(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`)
  if (kind === undefined)
    throw new FunctionError(
      isList(a) === isList(b) ? `non-comparable type: ${typeName(b)}` : `non-comparable types ${typeName(a)}, ${typeName(b)}`,
    )
  return comparable(a) === comparable(b)
}

const comparable = (value: TemplateValue): unknown =>
  value instanceof GoFloat ? value.value : typeof value === 'number' ? `${value}` : value

function less(a: TemplateValue, b: TemplateValue): boolean {
  const [kind, other] = [basicKind(a), basicKind(b)]
  if (kind === undefined || other === undefined) throw new FunctionError('invalid type for comparison')
  if (kind !== other) throw new FunctionError(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`)
  if (kind === 'bool') throw new FunctionError('invalid type for comparison')
  const [left, right] = [comparable(a) as string | number | bigint, comparable(b) as string | number | bigint]
  return left < right
}

const lessOrEqual = (a: TemplateValue, b: TemplateValue): boolean => less(a, b) || equal(a, b)

function index(item: TemplateValue, ...keys: TemplateValue[]): TemplateValue {
  if (isNilValue(item)) throw new FunctionError('index of untyped nil')
  let at = item
  for (const key of keys) {
    if (isNilValue(at)) throw new FunctionError('index of nil pointer')
    if (isMap(at)) {
      if (typeof key !== 'string')
        throw new FunctionError(
          isNilValue(key) ? 'value is nil; should be of type string' : `value has type ${typeName(key)}; should be string`,
        )
      at = memberOf(at, key) ?? null
    } else if (isList(at)) {
      at = at[offset(key, at.length - 1)] ?? null
    } else if (typeof at === 'string' || typeof at === 'number') {
      const bytes = Buffer.from(`${at}`)
      at = BigInt(bytes[offset(key, bytes.length - 1)] ?? 0)
    } else throw new FunctionError(`can't index item of type ${typeName(at)}`)
  }
  return at
}

/** Checks an index, and returns it as a number. */
function offset(key: TemplateValue, last: number): number {
  if (isNilValue(key)) throw new FunctionError('cannot index slice/array with nil')
  if (typeof key !== 'bigint') throw new FunctionError(`cannot index slice/array with type ${typeName(key)}`)
  if (key < 0n || key > BigInt(last)) throw new FunctionError(`index out of range: ${key}`)
  return Number(key)
}

function lengthOf(value: TemplateValue): bigint {
  if (isNilValue(value)) throw new FunctionError('len of nil pointer')
  if (typeof value === 'string' || typeof value === 'number') return BigInt(Buffer.byteLength(`${value}`))
  if (isList(value)) return BigInt(value.length)
  if (isMap(value)) return BigInt(Object.keys(value).length)
  throw new FunctionError(`len of type ${typeName(value)}`)
}

const HTML: Readonly<Record<string, string>> = { '"': '&#34;', "'": '&#39;', '&': '&amp;', '<': '&lt;', '>': '&gt;', '\0': '\ufffd' }

/** Prints the arguments of `html` and `urlquery`. */
const escapable = (values: readonly TemplateValue[]): string => printAll(values.map(value => (isNilValue(value) ? '<no value>' : value)))

/**
 * Functions of text/template itself. `and` and `or` are evaluated by the renderer, `call` and `js` are not supported.
 */
export const BUILTINS: Readonly<Record<string, TemplateFunction>> = {
  and: declare('value, value...', () => undefined),
  or: declare('value, value...', () => undefined),
  not: declare('value', (value: TemplateValue) => !isTruthy(value)),
  eq: declare('value, value...', (first: TemplateValue, ...others: TemplateValue[]) => {
    if (others.length === 0) throw new FunctionError('missing argument for comparison')
    return others.some(other => equal(first, other))
  }),
  ne: declare('value, value', (a: TemplateValue, b: TemplateValue) => !equal(a, b)),
  lt: declare('value, value', less),
  le: declare('value, value', lessOrEqual),
  gt: declare('value, value', (a: TemplateValue, b: TemplateValue) => !lessOrEqual(a, b)),
  ge: declare('value, value', (a: TemplateValue, b: TemplateValue) => !less(a, b)),
  index: declare('value, value...', index),
  len: declare('value', lengthOf),
  print: declare('any...', (...values: TemplateValue[]) => printAll(values)),
  println: declare('any...', (...values: TemplateValue[]) => `${values.map(value => printAll([value])).join(' ')}\n`),
  printf: declare('string, any...', (format: string, ...values: TemplateValue[]) => formatted(format, values)),
  html: declare('any...', (...values: TemplateValue[]) => escapable(values).replace(/["'&<>\0]/g, char => HTML[char] ?? char)),
  urlquery: declare('any...', (...values: TemplateValue[]) =>
    encodeURIComponent(escapable(values).toWellFormed())
      .replace(/%20/g, '+')
      .replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
  ),
}
