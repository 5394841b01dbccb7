import type { Json } from '../../api/meta/object.ts'
import { formatDouble } from '../../lib/format-double.ts'

/**
 * Formats a value as Go's `%v` does: `map[a:1 b:[x y] c:<nil>]`, members sorted. Errors of strategic merge patches
 * quote values in this form.
 */
export function goPrint(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`
  if (typeof value === 'object') {
    const members = Object.keys(value).sort()
    return `map[${members.map(key => `${key}:${goPrint(value[key])}`).join(' ')}]`
  }
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return formatDouble(value)
  return String(value)
}

/** Formats a value as Go's `%s` does: scalars other than strings become `%!s(…)`. */
export const goPrintString = (value: Json): string => {
  if (typeof value === 'string') return value
  if (value === null) return '%!s(<nil>)'
  if (typeof value === 'object') return goPrint(value)
  return `%!s(${printGoType(value)}=${goPrint(value)})`
}

/** The type of a decoded value in the format of Go's `%T`. */
export const printedType = (value: Json): string => (value === null ? '<nil>' : printGoType(value))

/** The reflect.Type of a decoded value in the format of Go's `%s`. */
export function printGoType(value: Json): string {
  if (value === null) return '%!s(<nil>)'
  if (Array.isArray(value)) return '[]interface {}'
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}'
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    default:
      return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'int64' : 'float64'
  }
}

/** The JSON type of a value in Go's decode errors. */
export function jsonKind(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  switch (typeof value) {
    case 'object':
      return 'object'
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    default:
      return 'number'
  }
}
