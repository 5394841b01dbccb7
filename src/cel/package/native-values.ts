import { printIp } from '../../meta/ip.ts'
import { CidrValue, IpValue } from '../functions/addresses.ts'
import { secondsText } from '../functions/conversions.ts'
import { QuantityValue } from '../functions/quantities.ts'
import { DYN, type Type } from '../type.ts'
import { listOfValues } from '../values/list.ts'
import { ValueMap } from '../values/map.ts'
import { printValue } from '../values/print.ts'
import { CelDouble, CelDuration, CelList, CelMap, CelOptional, CelTimestamp, CelType, CelUint, isInt, type Value } from '../values/value.ts'

const INT64 = 1n << 63n
const UINT64 = 1n << 64n

/** Thrown if a JavaScript value does not have the type of its variable. */
export class ValueError extends TypeError {
  override readonly name = 'ValueError'
}

/**
 * Converts a JavaScript value to the declared type. For `dyn`, a whole number is an int and any other number a double.
 * Throws ValueError, whose message has the path of the value.
 */
export function celValueOf(value: unknown, type: Type, path: string): Value {
  const wrong = (): never => {
    throw new ValueError(
      `${path}: ${typeof value === 'object' ? (value?.constructor?.name ?? 'null') : typeof value} is not of type ${type.name}`,
    )
  }
  if (value === null) return type.kind === 'dyn' || type.kind === 'null' || type.nullable ? null : wrong()
  switch (type.kind) {
    case 'dyn':
    case 'any':
      return dynValue(value, path) ?? wrong()
    case 'bool':
      return typeof value === 'boolean' ? value : wrong()
    case 'string':
      return typeof value === 'string' ? value : wrong()
    case 'int':
      return wholeNumber(value, -INT64, INT64) ?? wrong()
    case 'uint':
      return uintOf(value) ?? wrong()
    case 'double':
      return typeof value === 'number' ? new CelDouble(value) : wrong()
    case 'bytes':
      return value instanceof Uint8Array ? value : wrong()
    case 'timestamp':
      return value instanceof Date ? (timestampOf(value) ?? wrong()) : wrong()
    case 'list':
      return Array.isArray(value) ? nativeList(value, type.params[0], path) : wrong()
    case 'map':
      return mapOf(value, type, path) ?? wrong()
    default:
      return wrong()
  }
}

/**
 * A whole number is an int, also if it was written as `1.0`: JavaScript does not distinguish them. Undefined for a
 * value that CEL has no type for.
 */
function dynValue(value: unknown, path: string): Value | undefined {
  switch (typeof value) {
    case 'boolean':
    case 'string':
      return value
    case 'number':
      return Number.isSafeInteger(value) ? value : new CelDouble(value)
    case 'bigint':
      return wholeNumber(value, -INT64, INT64)
    case 'object':
      if (value instanceof Uint8Array) return value
      if (value instanceof Date) return timestampOf(value)
      return Array.isArray(value) ? nativeList(value, DYN, path) : mapOf(value, DYN, path)
    default:
      return undefined
  }
}

function wholeNumber(value: unknown, least: bigint, end: bigint): number | bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  if (typeof value !== 'bigint' || value < least || value >= end) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

function uintOf(value: unknown): CelUint | undefined {
  const whole = wholeNumber(value, 0n, UINT64)
  return whole === undefined || whole < 0 ? undefined : new CelUint(BigInt(whole))
}

function timestampOf(date: Date): CelTimestamp | undefined {
  const ms = date.getTime()
  if (Number.isNaN(ms)) return undefined
  const seconds = Math.floor(ms / 1000)
  return new CelTimestamp(seconds, (ms - seconds * 1000) * 1_000_000)
}

const nativeList = (items: readonly unknown[], type: Type = DYN, path = ''): Value =>
  listOfValues(items.map((item, i) => celValueOf(item, type, `${path}[${i}]`)))

/** Converts a Map, or an object, whose keys are strings. Undefined members are skipped. */
function mapOf(value: unknown, { params: [keyType = DYN, memberType = DYN] }: Type, path: string): Value | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Date || value instanceof Uint8Array)
    return undefined
  const map = new ValueMap()
  for (const [key, member] of value instanceof Map ? value : Object.entries(value))
    if (member !== undefined) map.set(celValueOf(key, keyType, `${path}: a key`), celValueOf(member, memberType, `${path}.${String(key)}`))
  return map
}

/** Converts a result to a JavaScript value, as documented at `Evaluated.value`. */
export function nativeOf(value: Value): unknown {
  if (isInt(value)) return value
  if (value instanceof CelUint) return value.value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value.value) : value.value
  if (value instanceof CelDouble) return value.value
  if (value instanceof CelTimestamp) return new Date(value.seconds * 1000 + Math.floor(value.nanos / 1_000_000))
  if (value instanceof CelDuration) return secondsText(value)
  if (value instanceof CelType) return value.name
  if (value instanceof CelOptional) return value.value === undefined ? undefined : nativeOf(value.value)
  if (value instanceof CelList) return Array.from({ length: value.size }, (_, i) => nativeOf(value.at(i)))
  if (value instanceof CelMap) return nativeMap(value)
  if (value instanceof QuantityValue) return value.quantity.canonical
  if (value instanceof IpValue) return printIp(value.address)
  if (value instanceof CidrValue) return `${printIp(value.prefix.address)}/${value.prefix.bits}`
  return value === null || typeof value === 'boolean' || typeof value === 'string' || value instanceof Uint8Array
    ? value
    : printValue(value)
}

function nativeMap(map: CelMap): Readonly<Record<string, unknown>> | ReadonlyMap<unknown, unknown> {
  const entries = Array.from(map.keys(), (key): [unknown, unknown] => [nativeOf(key), nativeOf(map.find(key) ?? null)])
  // Object.fromEntries also defines `__proto__` as an own property.
  return entries.every((entry): entry is [string, unknown] => typeof entry[0] === 'string') ? Object.fromEntries(entries) : new Map(entries)
}
