import { inInt64, inUint64, MIN_INT64 } from '../../lib/integer.ts'
import { CelDouble, CelError, CelUint, type Int, type Value } from './value.ts'

/** Errors are made once: nobody changes them. */
export const INT_OVERFLOW = new CelError('integer overflow')
export const UINT_OVERFLOW = new CelError('unsigned integer overflow')
const DIVISION_BY_ZERO = new CelError('division by zero')
const MODULUS_BY_ZERO = new CelError('modulus by zero')

/** The int of a number of any size: an error beyond 64 bits. */
export function toInt(value: bigint): Int | CelError {
  if (!inInt64(value)) return INT_OVERFLOW
  const small = Number(value)
  return Number.isSafeInteger(small) ? small : value
}

/** The uint of a number of any size: an error outside of 64 bits. */
export const toUint = (value: bigint): CelUint | CelError => (!inUint64(value) ? UINT_OVERFLOW : new CelUint(value))

/** Arithmetic of 64 bits, as Go's with checks for overflow. Numbers first; bigints only where a sum is no safe integer. */
export function addInt(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return toInt(BigInt(a) + BigInt(b))
}

export function subtractInt(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (Number.isSafeInteger(difference)) return difference
  }
  return toInt(BigInt(a) - BigInt(b))
}

export function multiplyInt(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (Number.isSafeInteger(product)) return product + 0
  }
  return toInt(BigInt(a) * BigInt(b))
}

/** Towards zero. The sum with 0 keeps -0 out. */
export function divideInt(a: Int, b: Int): Int | CelError {
  if (b === 0) return DIVISION_BY_ZERO
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0
  return toInt(BigInt(a) / BigInt(b))
}

/** The sign is that of the first. */
export function moduloInt(a: Int, b: Int): Int | CelError {
  if (b === 0) return MODULUS_BY_ZERO
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0
  if (b === -1 && a === MIN_INT64) return INT_OVERFLOW
  return toInt(BigInt(a) % BigInt(b))
}

/** The least int has no negative. */
export const negateInt = (a: Int): Int | CelError => subtractInt(0, a)

export const divideUint = (a: bigint, b: bigint): CelUint | CelError => (b === 0n ? DIVISION_BY_ZERO : new CelUint(a / b))
export const moduloUint = (a: bigint, b: bigint): CelUint | CelError => (b === 0n ? MODULUS_BY_ZERO : new CelUint(a % b))

/** Truncated towards zero; an error where 64 bits do not hold it. */
export function doubleToInt(value: number): Int | CelError {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) return INT_OVERFLOW
  return toInt(BigInt(Math.trunc(value)))
}

/** Truncated; an error for what is negative or beyond 64 bits. */
export function doubleToUint(value: number): CelUint | CelError {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) return UINT_OVERFLOW
  return new CelUint(BigInt(Math.trunc(value)))
}

/** The exact integer that a number of any type is, if it is one. */
export function exactInteger(value: Value): bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(value)
  if (value instanceof CelUint) return value.value
  return value instanceof CelDouble && Number.isInteger(value.value) ? BigInt(value.value) : undefined
}
