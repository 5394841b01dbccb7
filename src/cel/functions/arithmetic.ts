import { addInt, divideInt, divideUint, moduloInt, moduloUint, multiplyInt, negateInt, subtractInt, toUint } from '../values/integer.ts'
import { addToTimestamp, timeBetween, toDuration } from '../values/time.ts'
import { CelDouble, CelDuration, CelList, CelTimestamp, CelUint, isInt, noSuchOverload, type Value } from '../values/value.ts'
import { checkText } from '../work.ts'

/** A binary operator. Returns undefined if the type of the first operand does not have it. */
export type Operator = (a: Value, b: Value) => Value | undefined

const isDouble = (value: Value): value is CelDouble => value instanceof CelDouble
const isUint = (value: Value): value is CelUint => value instanceof CelUint

/**
 * Adds numbers of one type, concatenates texts, bytes and lists, and moves timestamps by durations. An overflow of 64
 * bits is an error.
 */
export const add: Operator = (a, b) => {
  if (typeof a === 'number' || typeof a === 'bigint') return isInt(b) ? addInt(a, b) : noSuchOverload(b)
  if (typeof a === 'string') return typeof b === 'string' ? joinTexts(a, b) : noSuchOverload(b)
  if (a instanceof CelList) return b instanceof CelList ? a.concat(b) : noSuchOverload(b)
  if (isDouble(a)) return isDouble(b) ? new CelDouble(a.value + b.value) : noSuchOverload(b)
  if (isUint(a)) return isUint(b) ? toUint(a.value + b.value) : noSuchOverload(b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? joinBytes(a, b) : noSuchOverload(b)
  if (a instanceof CelTimestamp) return b instanceof CelDuration ? addToTimestamp(a, b.nanos) : noSuchOverload(b)
  return a instanceof CelDuration ? addToDuration(a, b) : undefined
}

function joinTexts(a: string, b: string): string {
  checkText(a.length + b.length)
  return a + b
}

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  checkText(a.length + b.length)
  const joined = new Uint8Array(a.length + b.length)
  joined.set(a)
  joined.set(b, a.length)
  return joined
}

/** Adds to a duration: another duration, or a timestamp. */
function addToDuration(a: CelDuration, b: Value): Value {
  if (b instanceof CelDuration) return toDuration(a.nanos + b.nanos)
  return b instanceof CelTimestamp ? addToTimestamp(b, a.nanos) : noSuchOverload(b)
}

/** Subtracts, as `add` adds. The difference of two timestamps is a duration. */
export const subtract: Operator = (a, b) => {
  if (isInt(a)) return isInt(b) ? subtractInt(a, b) : noSuchOverload(b)
  if (isDouble(a)) return isDouble(b) ? new CelDouble(a.value - b.value) : noSuchOverload(b)
  if (isUint(a)) return isUint(b) ? toUint(a.value - b.value) : noSuchOverload(b)
  if (a instanceof CelDuration) return b instanceof CelDuration ? toDuration(a.nanos - b.nanos) : noSuchOverload(b)
  if (!(a instanceof CelTimestamp)) return undefined
  if (b instanceof CelDuration) return addToTimestamp(a, -b.nanos)
  return b instanceof CelTimestamp ? timeBetween(a, b) : noSuchOverload(b)
}

/** Multiplies numbers of one type. */
export const multiply: Operator = (a, b) => {
  if (isInt(a)) return isInt(b) ? multiplyInt(a, b) : noSuchOverload(b)
  if (isDouble(a)) return isDouble(b) ? new CelDouble(a.value * b.value) : noSuchOverload(b)
  if (isUint(a)) return isUint(b) ? toUint(a.value * b.value) : noSuchOverload(b)
  return undefined
}

/** Divides numbers of one type. Integer division by zero is an error; doubles follow IEEE 754. */
export const divide: Operator = (a, b) => {
  if (isInt(a)) return isInt(b) ? divideInt(a, b) : noSuchOverload(b)
  if (isDouble(a)) return isDouble(b) ? new CelDouble(a.value / b.value) : noSuchOverload(b)
  if (isUint(a)) return isUint(b) ? divideUint(a.value, b.value) : noSuchOverload(b)
  return undefined
}

/** Remainder of an integer division. Its sign is that of the dividend, as in Go. */
export const modulo: Operator = (a, b) => {
  if (isInt(a)) return isInt(b) ? moduloInt(a, b) : noSuchOverload(b)
  if (isUint(a)) return isUint(b) ? moduloUint(a.value, b.value) : noSuchOverload(b)
  return undefined
}

/** Negates a value. Undefined if its type has no negation. */
export function negate(a: Value): Value | undefined {
  if (isInt(a)) return negateInt(a)
  if (isDouble(a)) return new CelDouble(-a.value)
  if (a instanceof CelDuration) return toDuration(-a.nanos)
  return typeof a === 'boolean' ? noSuchOverload(a) : undefined
}
