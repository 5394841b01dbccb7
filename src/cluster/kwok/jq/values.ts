import { JqError, JqLimitError } from './errors.ts'

/**
 * A value of a query. As in gojq, integers that the query makes (literals, `length`, keys of lists) are apart from
 * numbers of the object, which are floats: they are bigint here. Values of the object are shared and never modified.
 */
export type JqValue = null | boolean | number | bigint | string | readonly JqValue[] | { readonly [key: string]: JqValue }

/** Steps that an evaluation may take: some milliseconds. */
const MAX_STEPS = 10_000
/** Characters that a step of work on texts covers. */
const CHARACTERS_PER_STEP = 64
/** Largest integer that a query may make, in bits. */
const MAX_INTEGER = 2n ** 1024n

/** Bounds the work of one evaluation. */
export class JqBudget {
  #left = MAX_STEPS

  /** Spends steps. Throws JqLimitError if none are left. */
  spend(steps = 1): void {
    this.#left -= steps
    if (this.#left < 0) throw new JqLimitError(`the query takes more than ${MAX_STEPS} steps`)
  }

  /** Spends the steps of reading or writing a text. */
  spendText(length: number): void {
    this.spend(1 + Math.floor(length / CHARACTERS_PER_STEP))
  }
}

export type JqKind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

/** Returns the type of a value, as the function `type` names it. */
export function kindOf(value: JqValue): JqKind {
  switch (typeof value) {
    case 'boolean':
      return 'boolean'
    case 'number':
    case 'bigint':
      return 'number'
    case 'string':
      return 'string'
    default:
      return value === null ? 'null' : Array.isArray(value) ? 'array' : 'object'
  }
}

export const isList = (value: JqValue): value is readonly JqValue[] => Array.isArray(value)
export const isObject = (value: JqValue): value is { readonly [key: string]: JqValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isNumber = (value: JqValue): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'
/** Whether `if`, `and`, `or`, `select` and `//` treat the value as true. */
export const isTruthy = (value: JqValue): boolean => value !== null && value !== false

/** Returns a member, or null if the object does not have it. */
export const memberOf = (object: { readonly [key: string]: JqValue }, key: string): JqValue =>
  Object.hasOwn(object, key) ? (object[key] ?? null) : null

/** Makes an object without a prototype, so that `__proto__` is a member like others. */
export function objectOf(members: Iterable<readonly [string, JqValue]>): JqValue {
  const object: { [key: string]: JqValue } = Object.create(null)
  for (const [key, value] of members) object[key] = value
  return object
}

/** Returns the members' names in the order of jq: by bytes. */
export const sortedKeys = (object: { readonly [key: string]: JqValue }): string[] => Object.keys(object).sort(compareText)

/** Compares texts by code points, as bytes of UTF-8 compare. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at < length && a[at] === b[at]) at++
  if (at === length) return a.length - b.length
  const [first, second] = [a.charCodeAt(at), b.charCodeAt(at)]
  // A surrogate stands for a code point beyond U+FFFF.
  const [firstIsHigh, secondIsHigh] = [first >= 0xd800 && first <= 0xdfff, second >= 0xd800 && second <= 0xdfff]
  return firstIsHigh === secondIsHigh ? first - second : firstIsHigh ? 1 : -1
}

const RANK: Readonly<Record<JqKind, number>> = { null: 0, boolean: 1, number: 3, string: 4, array: 5, object: 6 }
const rankOf = (value: JqValue): number => (value === true ? RANK.boolean + 1 : RANK[kindOf(value)])

/** Compares any two values in the order of jq: null, false, true, numbers, texts, lists, objects. */
export function compareValues(a: JqValue, b: JqValue, budget: JqBudget): number {
  budget.spend()
  if (a === b) return 0
  if (isNumber(a) && isNumber(b)) return a < b || Number.isNaN(a) ? -1 : a > b ? 1 : 0
  if (typeof a === 'string' && typeof b === 'string') {
    budget.spendText(Math.min(a.length, b.length))
    return compareText(a, b)
  }
  if (isList(a) && isList(b)) return compareLists(a, b, budget)
  if (!isObject(a) || !isObject(b)) return rankOf(a) - rankOf(b)
  const [keys, otherKeys] = [sortedKeys(a), sortedKeys(b)]
  budget.spend(keys.length + otherKeys.length)
  return (
    compareLists(keys, otherKeys, budget) ||
    compareLists(
      keys.map(key => memberOf(a, key)),
      otherKeys.map(key => memberOf(b, key)),
      budget,
    )
  )
}

function compareLists(a: readonly JqValue[], b: readonly JqValue[], budget: JqBudget): number {
  for (const [i, item] of a.entries()) {
    const other = b[i]
    if (other === undefined) return 1
    const order = compareValues(item, other, budget)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Prints a value as compact JSON with sorted members. */
export function jsonOf(value: JqValue, budget: JqBudget): string {
  budget.spend()
  if (typeof value === 'string') {
    budget.spendText(value.length)
    return JSON.stringify(value)
  }
  if (isNumber(value)) return numberText(value)
  if (isList(value)) return `[${value.map(item => jsonOf(item, budget)).join(',')}]`
  if (!isObject(value)) return String(value)
  const members = sortedKeys(value).map(key => `${JSON.stringify(key)}:${jsonOf(memberOf(value, key), budget)}`)
  return `{${members.join(',')}}`
}

const numberText = (value: number | bigint): string =>
  typeof value === 'number' && !Number.isFinite(value)
    ? Number.isNaN(value)
      ? 'null'
      : `${value < 0 ? '-' : ''}${Number.MAX_VALUE}`
    : `${value}`

/** Prints a value for an error message: its type and its JSON, shortened. */
export function described(value: JqValue, budget: JqBudget): string {
  if (value === null) return 'null'
  const text = jsonOf(value, budget)
  return `${kindOf(value)} (${text.length > 30 ? `${text.slice(0, 27)}...` : text})`
}

/** Returns an integer that the query has computed. Throws JqError if it has too many digits. */
export function boundedInteger(value: bigint): bigint {
  if (value > MAX_INTEGER || value < -MAX_INTEGER) throw new JqError('the integer is too large')
  return value
}
