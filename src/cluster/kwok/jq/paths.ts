import { JqError } from './errors.ts'
import { described, isList, isNumber, isObject, type JqBudget, type JqValue, memberOf, sortedKeys } from './values.ts'

/**
 * Returns the part of a value at a key: a member, an element, or null if there is none. Throws JqError if the value
 * does not have such keys.
 */
export function indexed(value: JqValue, key: JqValue, budget: JqBudget): JqValue {
  if (typeof key === 'string') {
    if (value === null) return null
    if (isObject(value)) return memberOf(value, key)
    throw new JqError(`expected an object but got: ${described(value, budget)}`)
  }
  if (isNumber(key)) {
    if (value === null) return null
    const items = typeof value === 'string' ? charactersOf(value, budget) : value
    if (isList(items)) return items[elementIndex(key, items.length)] ?? null
    throw new JqError(`expected an array but got: ${described(value, budget)}`)
  }
  throw new JqError(`invalid index: ${described(key, budget)}`)
}

function charactersOf(text: string, budget: JqBudget): string[] {
  budget.spend(text.length)
  return Array.from(text)
}

/** Returns the offset of an element. Negative numbers count from the end, and fractions are dropped. */
function elementIndex(key: number | bigint, length: number): number {
  const index = Math.trunc(Number(key))
  return index < 0 ? index + length : index
}

/**
 * Returns the elements of a list, or the values of an object in the order of its keys. Throws JqError for other values.
 */
export function elementsOf(value: JqValue, budget: JqBudget): readonly JqValue[] {
  if (isList(value)) return value
  if (!isObject(value)) throw new JqError(`cannot iterate over: ${described(value, budget)}`)
  const keys = sortedKeys(value)
  budget.spend(keys.length)
  return keys.map(key => memberOf(value, key))
}

/** Returns part of a list or text. Null bounds are its ends, negative ones count from the end. */
export function sliced(value: JqValue, from: JqValue, to: JqValue, budget: JqBudget): JqValue {
  if (value === null) return null
  const items = typeof value === 'string' ? charactersOf(value, budget) : value
  if (!isList(items)) throw new JqError(`expected an array but got: ${described(value, budget)}`)
  budget.spend(items.length)
  const [start, end] = [bound(from, 0, items.length, Math.floor), bound(to, items.length, items.length, Math.ceil)]
  const part = items.slice(start, Math.max(start, end))
  return typeof value === 'string' ? part.join('') : part
}

function bound(value: JqValue, fallback: number, length: number, round: (value: number) => number): number {
  if (value === null) return fallback
  if (!isNumber(value)) throw new JqError('a slice needs numbers')
  const index = round(Number(value))
  return Math.min(Math.max(index < 0 ? index + length : index, 0), length)
}
