import { JqError } from './errors.ts'
import type { ValueOperator } from './nodes.ts'
import { boundedInteger, compareValues, described, isList, isNumber, isObject, type JqBudget, type JqValue, memberOf } from './values.ts'

/** Longest text that a query may make. */
const MAX_TEXT = 1_000_000

/** Applies an operator to two values. Throws JqError if it does not accept their types. */
export function applyOperator(operator: ValueOperator, a: JqValue, b: JqValue, budget: JqBudget): JqValue {
  switch (operator) {
    case '+':
      return add(a, b, budget)
    case '-':
      return subtract(a, b, budget)
    case '*':
      return multiply(a, b, budget)
    case '/':
      return divide(a, b, budget)
    case '%':
      return modulo(a, b, budget)
    case '==':
      return compareValues(a, b, budget) === 0
    case '!=':
      return compareValues(a, b, budget) !== 0
    case '<':
      return compareValues(a, b, budget) < 0
    case '<=':
      return compareValues(a, b, budget) <= 0
    case '>':
      return compareValues(a, b, budget) > 0
    case '>=':
      return compareValues(a, b, budget) >= 0
  }
}

/** Creates the error of operands that an operator does not accept. */
const mismatch = (verb: string, a: JqValue, b: JqValue, budget: JqBudget): JqError =>
  new JqError(`cannot ${verb}: ${described(a, budget)} and ${described(b, budget)}`)

/** Adds numbers, and joins texts, lists and objects. Null is neutral. */
export function add(a: JqValue, b: JqValue, budget: JqBudget): JqValue {
  if (a === null) return b
  if (b === null) return a
  if (isNumber(a) && isNumber(b)) return typeof a === 'bigint' && typeof b === 'bigint' ? boundedInteger(a + b) : Number(a) + Number(b)
  if (typeof a === 'string' && typeof b === 'string') {
    budget.spendText(a.length + b.length)
    return boundedText(a + b)
  }
  if (isList(a) && isList(b)) {
    budget.spend(a.length + b.length)
    return [...a, ...b]
  }
  if (!isObject(a) || !isObject(b)) throw mismatch('add', a, b, budget)
  return joinObjects(a, b, budget)
}

/** Rejects a text that is too long. */
export function boundedText(text: string): string {
  if (text.length > MAX_TEXT) throw new JqError('the text is too long')
  return text
}

/** Returns an object without a prototype, so that a member `__proto__` is a member. */
function joinObjects(
  a: { readonly [key: string]: JqValue },
  b: { readonly [key: string]: JqValue },
  budget: JqBudget,
): { [key: string]: JqValue } {
  const result: { [key: string]: JqValue } = Object.create(null)
  budget.spend(Object.keys(a).length + Object.keys(b).length)
  for (const key of Object.keys(a)) result[key] = memberOf(a, key)
  for (const key of Object.keys(b)) result[key] = memberOf(b, key)
  return result
}

function subtract(a: JqValue, b: JqValue, budget: JqBudget): JqValue {
  if (isNumber(a) && isNumber(b)) return typeof a === 'bigint' && typeof b === 'bigint' ? boundedInteger(a - b) : Number(a) - Number(b)
  if (isList(a) && isList(b)) return a.filter(item => !b.some(removed => compareValues(item, removed, budget) === 0))
  throw mismatch('subtract', a, b, budget)
}

function multiply(a: JqValue, b: JqValue, budget: JqBudget): JqValue {
  if (isNumber(a) && isNumber(b)) return typeof a === 'bigint' && typeof b === 'bigint' ? boundedInteger(a * b) : Number(a) * Number(b)
  if (typeof a === 'string' && isNumber(b)) return repeatText(a, Number(b), budget)
  if (isNumber(a) && typeof b === 'string') return repeatText(b, Number(a), budget)
  if (isObject(a) && isObject(b)) return joinDeeply(a, b, budget)
  throw mismatch('multiply', a, b, budget)
}

function repeatText(text: string, times: number, budget: JqBudget): JqValue {
  if (!(times >= 0)) return null
  const count = times < 1 && times > 0 ? 1 : Math.floor(times)
  if (text.length * count > MAX_TEXT) throw new JqError('the text is too long')
  budget.spendText(text.length * count)
  return text.repeat(count)
}

function joinDeeply(a: { readonly [key: string]: JqValue }, b: { readonly [key: string]: JqValue }, budget: JqBudget): JqValue {
  const result = joinObjects(a, b, budget)
  for (const key of Object.keys(b)) {
    const [before, after] = [memberOf(a, key), memberOf(b, key)]
    if (isObject(before) && isObject(after)) result[key] = joinDeeply(before, after, budget)
  }
  return result
}

function divide(a: JqValue, b: JqValue, budget: JqBudget): JqValue {
  if (typeof a === 'string' && typeof b === 'string') return a === '' ? [] : splitText(a, b, budget)
  if (!isNumber(a) || !isNumber(b)) throw mismatch('divide', a, b, budget)
  if (Number(b) === 0) {
    if (Number(a) === 0) return Number.NaN
    throw mismatch('divide', a, b, budget)
  }
  return typeof a === 'bigint' && typeof b === 'bigint' && a % b === 0n ? a / b : Number(a) / Number(b)
}

/** Splits a text. An empty separator splits between characters. */
export function splitText(text: string, separator: string, budget: JqBudget): string[] {
  budget.spendText(text.length)
  const parts = separator === '' ? Array.from(text) : text.split(separator)
  budget.spend(parts.length)
  return parts
}

function modulo(a: JqValue, b: JqValue, budget: JqBudget): JqValue {
  if (!isNumber(a) || !isNumber(b)) throw mismatch('modulo', a, b, budget)
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN
  const [dividend, divisor] = [wholeNumber(a), wholeNumber(b)]
  if (divisor === 0n) throw mismatch('modulo', a, b, budget)
  return dividend % (divisor < 0n ? -divisor : divisor)
}

/** Truncates a number to an integer of 64 bits. */
function wholeNumber(value: number | bigint): bigint {
  if (typeof value === 'bigint') return value
  if (value >= 2 ** 63) return 2n ** 63n - 1n
  return value <= -(2 ** 63) ? -(2n ** 63n) : BigInt(Math.trunc(value))
}
