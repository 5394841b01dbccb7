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
import { MessageValue } from './message-value.ts'

/** What a field of a message takes, by the name that Go has for it. An error says why it does not take a value. */
export interface Native {
  readonly goType: string
  /** Undefined where values of such a type are never taken. */
  readonly take: (value: Value) => Value | undefined
}

/** What is read from an empty optional. */
const EMPTY_OPTIONAL = new CelError('optional.none() dereference')

/** The value as the field holds it, or cel-go's words for why it cannot. */
export function toNative(value: Value, native: Native): Value {
  if (value instanceof CelOptional) return value.value === undefined ? EMPTY_OPTIONAL : toNative(value.value, native)
  const taken = native.take(value)
  return taken === undefined ? new CelError(refusal(value, native.goType)) : taken
}

/** Each type of value refuses in words of its own. */
function refusal(value: Value, goType: string): string {
  if (isInt(value)) return `unsupported type conversion from 'int' to ${goType}`
  if (value instanceof CelUint) return `unsupported type conversion from 'uint' to ${goType}`
  if (typeof value === 'string') return `unsupported native conversion from string to '${goType}'`
  if (value instanceof CelType) return "type conversion not supported for 'type'"
  if (value instanceof MessageValue && goType.startsWith('*structpb.'))
    return `type conversion error: pb.Merge() arguments must be the same type. got: ${goType.replace('*structpb.', 'google.protobuf.')}, ${value.typeName}`
  return `type conversion error from ${sourceName(value)} to '${goType}'`
}

/** The type of a value as its conversion error has it, which is spelled differently for each. */
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

/** The type of a value, as Go prints it: without what lists and maps are of. */
export function printedTypeOf(value: Value): string {
  if (value instanceof CelList) return 'list()'
  return value instanceof CelMap ? 'map(, )' : typeNameOf(value)
}

/** Whether a value is an int between bounds. */
const within = (value: Value, min: bigint, max: bigint): boolean => isInt(value) && value >= min && value <= max

/** Of Go's int32, in which enumerations and small wrappers are held. */
const INT32_BOUNDS = [-(2n ** 31n), 2n ** 31n - 1n] as const
const takeInt32 = (value: Value): Value | undefined => (isInt(value) ? (within(value, ...INT32_BOUNDS) ? value : INT_OVERFLOW) : undefined)

export const NATIVE_BOOL: Native = { goType: 'bool', take: value => (typeof value === 'boolean' ? value : undefined) }
export const NATIVE_STRING: Native = { goType: 'string', take: value => (typeof value === 'string' ? value : undefined) }
export const NATIVE_BYTES: Native = { goType: '[]uint8', take: value => (value instanceof Uint8Array ? value : takeListOfBytes(value)) }
export const NATIVE_DOUBLE: Native = { goType: 'float64', take: value => (value instanceof CelDouble ? value : undefined) }
export const NATIVE_FLOAT: Native = { goType: 'float32', take: value => (value instanceof CelDouble ? new CelDouble(Math.fround(value.value)) : undefined) }
export const NATIVE_INT64: Native = { goType: 'int64', take: value => (isInt(value) ? value : undefined) }
export const NATIVE_INT32: Native = { goType: 'int32', take: takeInt32 }
export const NATIVE_ENUM: Native = { goType: 'protoreflect.EnumNumber', take: takeInt32 }
export const NATIVE_UINT64: Native = { goType: 'uint64', take: value => (value instanceof CelUint ? value : undefined) }
export const NATIVE_UINT32: Native = {
  goType: 'uint32',
  take: value => (value instanceof CelUint ? (value.value < 2n ** 32n ? value : UINT_OVERFLOW) : undefined),
}

/** An element of a list that is taken for bytes. */
const NATIVE_BYTE: Native = { goType: 'uint8', take: value => (value instanceof CelUint ? (value.value < 256n ? value : UINT_OVERFLOW) : undefined) }

/** A list of uints can be bytes as well. */
function takeListOfBytes(list: Value): Value | undefined {
  if (!(list instanceof CelList) || !list.isZeroable) return undefined
  const bytes = new Uint8Array(list.size)
  for (let i = 0; i < list.size; i++) {
    const byte = toNative(list.at(i), NATIVE_BYTE)
    if (!(byte instanceof CelUint)) return byte
    bytes[i] = Number(byte.value)
  }
  return bytes
}
