import { compareText } from '../../lib/compare-text.ts'
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
  isInt,
  noSuchOverload,
  type Value,
} from './value.ts'

/** Equality knows NaN: it is equal to nothing. Order does not. */
const NAN = new CelError('NaN values cannot be ordered')

const order = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** The number that a value is, whatever its type. Comparisons of a number with a bigint are exact. */
function numberOf(value: Value): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (value instanceof CelUint || value instanceof CelDouble) return value.value
  return undefined
}

/** As Go compares: byte by byte, the shorter first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b)
}

/** -1, 0 or 1 where values have an order between them; undefined where the first has none with anything, so that no such operator takes it. */
export function compareValues(a: Value, b: Value): number | CelError | undefined {
  if (typeof a === 'number' && typeof b === 'number') return order(a, b)
  if (typeof a === 'string') return typeof b === 'string' ? order(compareText(a, b), 0) : noSuchOverload(b)
  const x = numberOf(a)
  if (x !== undefined) return compareNumbers(x, a instanceof CelDouble, b)
  if (typeof a === 'boolean') return typeof b === 'boolean' ? order(Number(a), Number(b)) : noSuchOverload(b)
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp ? order(a.seconds, b.seconds) || order(a.nanos, b.nanos) : noSuchOverload(b)
  if (a instanceof CelDuration) return b instanceof CelDuration ? order(a.nanos, b.nanos) : noSuchOverload(b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareBytes(a, b) : noSuchOverload(b)
  return undefined
}

/** Of any two types of numbers. */
function compareNumbers(x: number | bigint, isDouble: boolean, b: Value): number | CelError {
  const y = numberOf(b)
  if (Number.isNaN(x)) return NAN
  if (y === undefined) return noSuchOverload(b)
  return Number.isNaN(y) ? NAN : orderNumbers(x, isDouble, y, b instanceof CelDouble)
}

/** Beside a double, any number is rounded to one. */
function orderNumbers(x: number | bigint, xIsDouble: boolean, y: number | bigint, yIsDouble: boolean): number {
  return xIsDouble || yIsDouble ? order(Number(x), Number(y)) : order(x, y)
}

/** As `==`: null equals null alone; values of different types differ, except numbers. An error where a library's type knows no such comparison. */
export function equalValues(a: Value, b: Value): boolean | CelError {
  if (a === null || b === null) return a === b
  return typeEquals(a, b)
}

/** As a value of the first one's type compares itself. */
export function typeEquals(a: Value, b: Value): boolean | CelError {
  if (typeof a !== 'object' || a === null) {
    if (a === b) return true
    if (typeof a !== 'number' && typeof a !== 'bigint') return false
  }
  const x = numberOf(a)
  if (x !== undefined) {
    const y = numberOf(b)
    return y !== undefined && orderNumbers(x, a instanceof CelDouble, y, b instanceof CelDouble) === 0 && !Number.isNaN(x) && !Number.isNaN(y)
  }
  if (a instanceof CelList || a instanceof CelMap) {
    const isAsLarge = (b instanceof CelList || b instanceof CelMap) && a.size === b.size
    spendWork(isAsLarge ? 1 + a.size : 1)
    return a.equals(b)
  }
  if (a instanceof CelObject) return a.equals(b)
  if (a instanceof CelOptional) return optionalsEqual(a, b)
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.seconds === b.seconds && a.nanos === b.nanos
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos
  if (a instanceof CelType) return b instanceof CelType && a.name === b.name
  return a instanceof Uint8Array && b instanceof Uint8Array && compareBytes(a, b) === 0
}

/** Two that are empty are equal. */
function optionalsEqual({ value }: CelOptional, b: Value): boolean | CelError {
  if (!(b instanceof CelOptional)) return false
  if (value === undefined || b.value === undefined) return value === b.value
  return typeEquals(value, b.value)
}

/** Whether it is a number of any type. */
export const isNumeric = (value: Value): boolean => isInt(value) || value instanceof CelUint || value instanceof CelDouble
