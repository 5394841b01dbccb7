import { inInt64, inUint64, MIN_INT64 } from '../../lib/integer.ts'
import { CelDouble, CelError, CelUint, type Int, type Value } from './value.ts'

/** Errors of arithmetic. They are immutable and shared. */
export const INT_OVERFLOW = new CelError('integer overflow')
/** For results below zero, too. */
export const UINT_OVERFLOW = new CelError('unsigned integer overflow')
const DIVISION_BY_ZERO = new CelError('division by zero')
const MODULUS_BY_ZERO = new CelError('modulus by zero')

/** Makes an int. An error if the number exceeds 64 bits. */
export function toInt(value: bigint): Int | CelError {
  if (!inInt64(value)) return INT_OVERFLOW
  const small = Number(value)
  return Number.isSafeInteger(small) ? small : value
}

/** Makes a uint. An error if the number is negative or exceeds 64 bits. */
export const toUint = (value: bigint): CelUint | CelError => (!inUint64(value) ? UINT_OVERFLOW : new CelUint(value))

/** Adds 64-bit integers with overflow checks. Bigints are used only if the sum is not a safe integer. */
export function addInt(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return toInt(BigInt(a) + BigInt(b))
}

/** Like `addInt`: bigints only if the difference is not a safe integer. */
export function subtractInt(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (Number.isSafeInteger(difference)) return difference
  }
  return toInt(BigInt(a) - BigInt(b))
}

/** Like `addInt`. Adding 0 avoids -0. */
export function multiplyInt(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (Number.isSafeInteger(product)) return product + 0
  }
  return toInt(BigInt(a) * BigInt(b))
}

/** Divides, truncated towards zero. Adding 0 avoids -0. */
export function divideInt(a: Int, b: Int): Int | CelError {
  if (b === 0) return DIVISION_BY_ZERO
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0
  return toInt(BigInt(a) / BigInt(b))
}

/** Returns the remainder, with the sign of the dividend. */
export function moduloInt(a: Int, b: Int): Int | CelError {
  if (b === 0) return MODULUS_BY_ZERO
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0
  if (b === -1 && a === MIN_INT64) return INT_OVERFLOW
  return toInt(BigInt(a) % BigInt(b))
}

/** Negates. An error for the smallest int. */
export const negateInt = (a: Int): Int | CelError => subtractInt(0, a)

/** Takes the values of uints. Quotients and remainders cannot overflow; the error is that of a zero divisor. */
export const divideUint = (a: bigint, b: bigint): CelUint | CelError => (b === 0n ? DIVISION_BY_ZERO : new CelUint(a / b))
export const moduloUint = (a: bigint, b: bigint): CelUint | CelError => (b === 0n ? MODULUS_BY_ZERO : new CelUint(a % b))

/** Converts a double, truncated towards zero. An error if the result exceeds 64 bits. */
export function doubleToInt(value: number): Int | CelError {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) return INT_OVERFLOW
  return toInt(BigInt(Math.trunc(value)))
}

/** Converts a double, truncated. An error if it is negative or exceeds 64 bits. */
export function doubleToUint(value: number): CelUint | CelError {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) return UINT_OVERFLOW
  return new CelUint(BigInt(Math.trunc(value)))
}

/** Returns the exact integer value of a number. Undefined if it has a fraction. */
export function exactInteger(value: Value): bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(value)
  if (value instanceof CelUint) return value.value
  return value instanceof CelDouble && Number.isInteger(value.value) ? BigInt(value.value) : undefined
}
