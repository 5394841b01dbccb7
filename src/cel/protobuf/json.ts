import { secondsText } from '../functions/conversions.ts'
import { listOfValues } from '../values/list.ts'
import { ValueMap } from '../values/map.ts'
import { printValue } from '../values/print.ts'
import { timestampText } from '../values/time.ts'
import { CelDouble, CelDuration, CelError, CelList, CelMap, CelTimestamp, CelUint, isError, isInt, type Value } from '../values/value.ts'
import { spendConversions } from '../work.ts'
import { MessageValue } from './message-value.ts'
import { NATIVE_STRING, type Native, toNative } from './native.ts'

/** Greatest integer that a double represents exactly. */
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER)

/** Returns a double if the integer is exact, otherwise its digits as a text. */
const jsonNumber = (value: bigint): Value => (value >= -MAX_EXACT && value <= MAX_EXACT ? new CelDouble(Number(value)) : String(value))

/**
 * Converts a value to its JSON form: numbers are doubles, and bytes and times are texts. Undefined if there is none.
 */
function takeJson(value: Value): Value | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || value instanceof CelDouble) return value
  if (isInt(value)) return jsonNumber(BigInt(value))
  if (value instanceof CelUint) return jsonNumber(value.value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof CelDuration) return secondsText(value)
  if (value instanceof CelTimestamp) return timestampText(value)
  if (value instanceof MessageValue) return jsonMap(new ValueMap(value.fields))
  return takeList(value) ?? takeMap(value)
}

/** Converts a list. cel-go does not convert a list of a document as a whole, only its elements. */
const takeList = (value: Value): Value | undefined => (value instanceof CelList && value.isZeroable ? jsonList(value) : undefined)
const takeMap = (value: Value): Value | undefined => (value instanceof CelMap && value.isZeroable ? jsonMap(value) : undefined)

/**
 * Converts a map to a ListValue, which cel-go reads as the fields of the message. An empty map is an empty list; any
 * key is an unknown field.
 */
function takeMapAsList(value: Value): Value | undefined {
  if (!(value instanceof CelMap) || !value.isZeroable) return undefined
  for (const key of value.keys()) {
    const name = printValue(key)
    return new CelError(
      `type conversion error, no such field '${name.slice(0, 1).toUpperCase()}${name.slice(1)}' in type 'structpb.ListValue'`,
    )
  }
  return listOfValues([])
}

/** Field type of google.protobuf.Value. */
const JSON_VALUE: Native = { goType: '*structpb.Value', take: takeJson }
/** Field types of the alternatives of google.protobuf.Value that hold a list or a map. */
export const NATIVE_LIST: Native = { goType: '*structpb.ListValue', take: value => takeList(value) ?? takeMapAsList(value) }
export const NATIVE_STRUCT: Native = { goType: '*structpb.Struct', take: takeMap }
export const NATIVE_VALUE = JSON_VALUE

/** Converts the elements of a list to JSON. An error if an element cannot be converted. */
export function jsonList(list: CelList): Value {
  spendConversions(1 + list.size)
  const elements: Value[] = []
  for (let i = 0; i < list.size; i++) {
    const element = toNative(list.at(i), JSON_VALUE)
    if (isError(element)) return element
    elements.push(element)
  }
  return listOfValues(elements)
}

/** Converts the values of a map to JSON. An error if a value cannot be converted, or a key is not a string. */
export function jsonMap(map: CelMap): Value {
  spendConversions(1 + map.size)
  const members = new ValueMap()
  for (const [key, given] of map.entries()) {
    const name = toNative(key, NATIVE_STRING)
    if (isError(name)) return name
    const value = toNative(given, JSON_VALUE)
    if (isError(value)) return value
    members.set(name, value)
  }
  return members
}
