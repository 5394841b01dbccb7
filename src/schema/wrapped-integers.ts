import { isJsonObject, type Json, type JsonObject } from '../api/meta/object.ts'
import { MIN_INT64 } from '../lib/integer.ts'
import { orderedFields } from './members.ts'
import type { Schema } from './schema.ts'

/**
 * Truncates whole numbers to the bits of their integer types, as Go's conversion does if a value of the JSON data model
 * is not decoded from JSON text: 4294967301 becomes 5 as an int32. Returns the value itself if nothing is truncated; it
 * is not modified.
 */
export function wrappedIntegers(schema: Schema, value: Json): Json {
  switch (schema.type) {
    case 'struct': {
      if (!isJsonObject(value)) return value
      let out: JsonObject = value
      for (const { name, schema: member } of orderedFields(schema)) out = withMember(out, name, member)
      return out
    }
    case 'map': {
      if (!isJsonObject(value)) return value
      let out: JsonObject = value
      for (const name of Object.keys(value)) out = withMember(out, name, schema.values)
      return out
    }
    case 'list': {
      if (!Array.isArray(value)) return value
      const items = value.map(item => wrappedIntegers(schema.items, item))
      return items.some((item, i) => item !== value[i]) ? items : value
    }
    case 'integer':
      return isWhole(value) ? wrapped(value, schema.goType) : value
    default:
      return value
  }
}

function withMember(object: JsonObject, name: string, schema: Schema): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : undefined
  if (value === undefined) return object
  const next = wrappedIntegers(schema, value)
  return next === value ? object : { ...object, [name]: next }
}

const isWhole = (value: Json): value is number | bigint => typeof value === 'bigint' || Number.isInteger(value)

/** Floats beyond int64 become its least value first, as on amd64. */
function wrapped(value: number | bigint, goType: string): number | bigint {
  const bits = goType === 'int32' ? 32 : goType === 'int64' ? 64 : undefined
  if (bits === undefined) return value
  const whole = typeof value === 'bigint' ? value : Math.abs(value) < 2 ** 63 ? BigInt(value) : MIN_INT64
  const cut = BigInt.asIntN(bits, whole)
  const number = Number(cut)
  return Number.isSafeInteger(number) ? number : cut
}
