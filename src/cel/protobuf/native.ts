import { INT_OVERFLOW, UINT_OVERFLOW } from '../values/integer.ts'
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
  typeNameOf,
  type Value,
} from '../values/value.ts'
import { spendConversions } from '../work.ts'
import { MessageValue } from './message-value.ts'

/** Go type of a message field, and the conversion to it. */
export interface Native {
  /** Name in cel-go's conversion errors. */
  readonly goType: string
  /** Converts a value. Undefined if its type is never accepted; an error if only this value is not. */
  readonly take: (value: Value) => Value | undefined
}

/** The error for reading an empty optional. */
const EMPTY_OPTIONAL = new CelError('optional.none() dereference')

/** Converts a value for a field, or returns an error with cel-go's message. */
export function toNative(value: Value, native: Native): Value {
  if (value instanceof CelOptional) return value.value === undefined ? EMPTY_OPTIONAL : toNative(value.value, native)
  const taken = native.take(value)
  return taken === undefined ? new CelError(refusal(value, native.goType)) : taken
}

/** Returns the conversion error, which has another text for each source type. */
function refusal(value: Value, goType: string): string {
  if (isInt(value)) return `unsupported type conversion from 'int' to ${goType}`
  if (value instanceof CelUint) return `unsupported type conversion from 'uint' to ${goType}`
  if (typeof value === 'string') return `unsupported native conversion from string to '${goType}'`
  if (value instanceof CelType) return "type conversion not supported for 'type'"
  if (value instanceof MessageValue && goType.startsWith('*structpb.'))
    return `type conversion error: pb.Merge() arguments must be the same type. got: ${goType.replace('*structpb.', 'google.protobuf.')}, ${value.typeName}`
  return `type conversion error from ${sourceName(value)} to '${goType}'`
}

/** Returns the name of the source type in conversion errors, which is spelled inconsistently. */
function sourceName(value: Value): string {
  if (value === null) return "'null_type'"
  if (typeof value === 'boolean') return 'bool'
  if (value instanceof CelDouble) return 'Double'
  if (value instanceof Uint8Array) return 'Bytes'
  if (value instanceof CelDuration) return "'Duration'"
  if (value instanceof CelTimestamp) return "'Timestamp'"
  if (value instanceof CelList && value.isZeroable) return 'list'
  if (value instanceof CelMap && value.isZeroable) return 'map'
  return `'${value instanceof CelObject ? (value instanceof MessageValue ? '*dynamicpb.Message' : value.typeName.split('.').at(-1)) : printedTypeOf(value)}'`
}

/** Returns the type of a value as Go prints it, without element types. */
export function printedTypeOf(value: Value): string {
  if (value instanceof CelList) return 'list()'
  return value instanceof CelMap ? 'map(, )' : typeNameOf(value)
}

/** Whether a value is an int within bounds. */
const isIntWithin = (value: Value, min: bigint, max: bigint): boolean => isInt(value) && value >= min && value <= max

/** Bounds of Go's int32, which holds enumerations and 32-bit wrappers. */
const INT32_BOUNDS = [-(2n ** 31n), 2n ** 31n - 1n] as const
const takeInt32 = (value: Value): Value | undefined =>
  isInt(value) ? (isIntWithin(value, ...INT32_BOUNDS) ? value : INT_OVERFLOW) : undefined

/**
 * Conversions to the Go types of a message's fields. `take` is undefined for a value of another type, and an error for
 * one out of range.
 */
export const NATIVE_BOOL: Native = { goType: 'bool', take: value => (typeof value === 'boolean' ? value : undefined) }
export const NATIVE_STRING: Native = { goType: 'string', take: value => (typeof value === 'string' ? value : undefined) }
export const NATIVE_BYTES: Native = { goType: '[]uint8', take: value => (value instanceof Uint8Array ? value : takeListOfBytes(value)) }
export const NATIVE_DOUBLE: Native = { goType: 'float64', take: value => (value instanceof CelDouble ? value : undefined) }
export const NATIVE_FLOAT: Native = {
  goType: 'float32',
  take: value => (value instanceof CelDouble ? new CelDouble(Math.fround(value.value)) : undefined),
}
export const NATIVE_INT64: Native = { goType: 'int64', take: value => (isInt(value) ? value : undefined) }
export const NATIVE_INT32: Native = { goType: 'int32', take: takeInt32 }
export const NATIVE_ENUM: Native = { goType: 'protoreflect.EnumNumber', take: takeInt32 }
export const NATIVE_UINT64: Native = { goType: 'uint64', take: value => (value instanceof CelUint ? value : undefined) }
export const NATIVE_UINT32: Native = {
  goType: 'uint32',
  take: value => (value instanceof CelUint ? (value.value < 2n ** 32n ? value : UINT_OVERFLOW) : undefined),
}

/** An element of a list that is converted to bytes. */
const NATIVE_BYTE: Native = {
  goType: 'uint8',
  take: value => (value instanceof CelUint ? (value.value < 256n ? value : UINT_OVERFLOW) : undefined),
}

/** Converts a list of uints to bytes. */
function takeListOfBytes(list: Value): Value | undefined {
  if (!(list instanceof CelList) || !list.isZeroable) return undefined
  spendConversions(list.size)
  const bytes = new Uint8Array(list.size)
  for (let i = 0; i < list.size; i++) {
    const byte = toNative(list.at(i), NATIVE_BYTE)
    if (!(byte instanceof CelUint)) return byte
    bytes[i] = Number(byte.value)
  }
  return bytes
}
