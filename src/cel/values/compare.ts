import { compareText } from '../../lib/compare-text.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { longCall } from '../long-work.ts'
import { spendWork } from '../work.ts'
import {
  CelDouble,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelType,
  CelUint,
  type Comparing,
  type Equality,
  isInt,
  noSuchOverload,
  type Value,
} from './value.ts'

/** The error for ordering NaN. Equality with NaN is false. */
const NAN = new CelError('NaN values cannot be ordered')

const order = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the numeric value of an int, uint or double. Comparisons of a number with a bigint are exact. */
function numericValue(value: Value): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (value instanceof CelUint || value instanceof CelDouble) return value.value
  return undefined
}

/** Compares lexicographically, as Go's bytes.Compare. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b)
}

/**
 * Returns the order of two values: negative, 0 or positive. An error if they cannot be compared, undefined if the type
 * of the first has no order.
 */
export function compareValues(a: Value, b: Value): number | CelError | undefined {
  if (typeof a === 'number' && typeof b === 'number') return order(a, b)
  if (typeof a === 'string') return typeof b === 'string' ? order(compareText(a, b), 0) : noSuchOverload(b)
  const x = numericValue(a)
  if (x !== undefined) return compareNumbers(x, a instanceof CelDouble, b)
  if (typeof a === 'boolean') return typeof b === 'boolean' ? order(Number(a), Number(b)) : noSuchOverload(b)
  if (a instanceof CelTimestamp)
    return b instanceof CelTimestamp ? order(a.seconds, b.seconds) || order(a.nanos, b.nanos) : noSuchOverload(b)
  if (a instanceof CelDuration) return b instanceof CelDuration ? order(a.nanos, b.nanos) : noSuchOverload(b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareBytes(a, b) : noSuchOverload(b)
  return undefined
}

/** Compares two numbers of any types. */
function compareNumbers(x: number | bigint, isDouble: boolean, b: Value): number | CelError {
  const y = numericValue(b)
  if (Number.isNaN(x)) return NAN
  if (y === undefined) return noSuchOverload(b)
  return Number.isNaN(y) ? NAN : orderNumbers(x, isDouble, y, b instanceof CelDouble)
}

/** Orders numbers. If either is a double, both are compared as doubles. */
function orderNumbers(x: number | bigint, xIsDouble: boolean, y: number | bigint, yIsDouble: boolean): number {
  return xIsDouble || yIsDouble ? order(Number(x), Number(y)) : order(x, y)
}

/** Whether the parts of two values are still to be compared. */
export const isComparing = (equality: Equality | Comparing<Equality>): equality is Comparing<Equality> =>
  typeof equality === 'object' && !(equality instanceof CelError)

/** Runs a comparison and those that it yields, in steps. Not recursive: values can be nested deeply. */
export function* compareInSteps<T>(comparison: Comparing<T>): Steps<T> {
  const outer: Comparing<T | Equality>[] = []
  let current: Comparing<T | Equality> = comparison
  let equality: Equality = false
  for (;;) {
    const { done, value } = current.next(equality)
    if (!done) {
      if (value) {
        outer.push(current)
        current = value
      }
      if (value === undefined || isStepDone()) yield
      continue
    }
    const next = outer.pop()
    // Only the outermost comparison has another result than whether values are equal.
    if (!next) return value as T
    equality = value as Equality
    current = next
  }
}

/** Returns the result of a comparison that is the work of a call, which may continue in a later turn. */
export const runComparison = <T extends Value>(comparison: Comparing<T>): T => longCall(() => compareInSteps(comparison))

/** Returns whether two values are equal, after the comparison of their parts if they have any. */
export const equalityOf = (equality: Equality | Comparing<Equality>): Equality =>
  isComparing(equality) ? runComparison(equality) : equality

/**
 * Implements `==`. Null equals only null; values of different types differ, except numbers. An error if a library type
 * does not support the comparison. Returns the comparison of the parts of lists and maps.
 */
export function equalValues(a: Value, b: Value): Equality | Comparing<Equality> {
  if (a === null || b === null) return a === b
  return typeEquals(a, b)
}

/** Implements equality of the first value's type. */
export function typeEquals(a: Value, b: Value): Equality | Comparing<Equality> {
  if (typeof a !== 'object' || a === null) {
    if (a === b) return true
    if (typeof a !== 'number' && typeof a !== 'bigint') return false
  }
  const x = numericValue(a)
  if (x !== undefined) {
    const y = numericValue(b)
    return (
      y !== undefined && orderNumbers(x, a instanceof CelDouble, y, b instanceof CelDouble) === 0 && !Number.isNaN(x) && !Number.isNaN(y)
    )
  }
  if (a instanceof CelList || a instanceof CelMap) {
    const isAsLarge = (b instanceof CelList || b instanceof CelMap) && a.size === b.size
    spendWork(isAsLarge ? 1 + a.size : 1)
    // A search meets many values of other sizes, for which a comparison in steps costs more than its result.
    if (!isAsLarge && (a instanceof CelList ? b instanceof CelList : b instanceof CelMap)) return false
    return a.equals(b)
  }
  if (a instanceof CelObject) return a.equals(b)
  if (a instanceof CelOptional) return optionalsEqual(a, b)
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.seconds === b.seconds && a.nanos === b.nanos
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos
  if (a instanceof CelType) return b instanceof CelType && a.name === b.name
  return a instanceof Uint8Array && b instanceof Uint8Array && compareBytes(a, b) === 0
}

/** Compares optionals. Two empty ones are equal. */
function optionalsEqual({ value }: CelOptional, b: Value): Equality | Comparing<Equality> {
  if (!(b instanceof CelOptional)) return false
  if (value === undefined || b.value === undefined) return value === b.value
  return typeEquals(value, b.value)
}

/** Whether it is an int, uint or double. */
export const isNumeric = (value: Value): boolean => isInt(value) || value instanceof CelUint || value instanceof CelDouble
