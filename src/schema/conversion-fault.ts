import { isJsonObject, type Json } from '../api/meta/object.ts'
import { base64Fault } from './base64.ts'
import { DecodeError, diagnose } from './diagnose.ts'
import { orderedFields } from './members.ts'
import type { ScalarSchema, Schema } from './schema.ts'

/**
 * Returns Go's error for the first member, in declared order, that does not match its type, when a value of the JSON
 * data model is converted without JSON text, as the result of a strategic merge patch is. Types that decode themselves
 * (times, quantities …) have the error of decoding. Undefined if all members match.
 */
export function conversionFault(schema: Schema, value: Json | undefined): string | undefined {
  if (value === null || value === undefined) return undefined
  switch (schema.type) {
    case 'struct': {
      if (!isJsonObject(value)) return `cannot restore struct from: ${jsonGoKind(value)}`
      return first(orderedFields(schema), field => conversionFault(field.schema, value[field.name]))
    }
    case 'map':
      if (!isJsonObject(value)) return `cannot restore map from ${jsonGoKind(value)}`
      return first(Object.values(value), member => conversionFault(schema.values, member))
    case 'list':
      if (!Array.isArray(value)) return `cannot restore slice from ${jsonGoKind(value)}`
      return first(value, item => conversionFault(schema.items, item))
    case 'union':
      return undefined
    default:
      return scalarFault(schema, value)
  }
}

/** Returns Go's error for a value that cannot be converted. `decoded`: error of the decoder, which may name fields. */
export const conversionText = (schema: Schema, value: Json, decoded: string): string =>
  conversionFault(schema, value) ?? decoded.replace(/ into Go struct field \S+ of type /, ' into Go value of type ')

/**
 * Texts of FromUnstructured in k8s.io/apimachinery. "unrecognized type" names the type that was expected, not that of
 * the value.
 */
function scalarFault(schema: ScalarSchema, value: Exclude<Json, null>): string | undefined {
  const { type, goType } = schema
  const kind = jsonGoKind(value)
  switch (type) {
    case 'string':
      if (kind === 'string') return undefined
      return kind === 'int64' ? `cannot convert int64 to ${goType}` : 'unrecognized type: string'
    case 'boolean':
      return kind === 'bool' ? undefined : 'unrecognized type: bool'
    case 'integer':
      if (kind === 'int64') return undefined
      return kind === 'float64' ? `cannot convert float64 to ${goType}` : `unrecognized type: ${goType}`
    case 'number':
      return kind === 'int64' || kind === 'float64' ? undefined : `unrecognized type: ${goType}`
    case 'bytes':
      return typeof value === 'string' ? bytesFault(value) : kind === 'slice' ? undefined : `cannot restore slice from ${kind}`
    case 'time':
    case 'microTime':
    case 'duration':
    case 'quantity':
    case 'intOrString':
    case 'raw':
    case 'json':
      return decodeFault(schema, value)
  }
}

function decodeFault(schema: ScalarSchema, value: Json): string | undefined {
  try {
    diagnose(schema, value)
    return undefined
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
}

function bytesFault(value: string): string | undefined {
  const at = base64Fault(value)
  return at < 0 ? undefined : `error decoding from json: illegal base64 data at input byte ${at}`
}

function first<T>(list: Iterable<T>, fault: (item: T) => string | undefined): string | undefined {
  for (const item of list) {
    const found = fault(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** Go's name of the kind of a value. A number without a fraction is an integer if it is within int64. */
function jsonGoKind(value: Exclude<Json, null>): 'string' | 'bool' | 'int64' | 'float64' | 'slice' | 'map' {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'object') return Array.isArray(value) ? 'slice' : 'map'
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'int64' : 'float64'
}
