import { formatDouble } from '../../../lib/format-double.ts'
import { isWide, namesOf } from '../../../lib/wide-objects.ts'
import { FunctionError } from './errors.ts'
import { GoFloat } from './nodes.ts'

/**
 * A value of a template. `undefined` is no value (a missing member), which null (a nil interface) is not: a member of
 * the first is missing as well, a member of the second is an error. JavaScript numbers stand for json.Number, which Go
 * treats as a string; bigint is int and GoFloat float64.
 */
export type TemplateValue = undefined | null | boolean | string | number | bigint | GoFloat | readonly TemplateValue[] | TemplateMap
/** A map with text keys. Objects of the API are not copied, and never modified. */
export type TemplateMap = { readonly [key: string]: TemplateValue }

export const isList = (value: TemplateValue): value is readonly TemplateValue[] => Array.isArray(value)
export const isMap = (value: TemplateValue): value is TemplateMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof GoFloat)

/** Returns a member of a map, or undefined if it is missing. */
export const memberOf = (map: TemplateMap, key: string): TemplateValue => (Object.hasOwn(map, key) ? map[key] : undefined)

/** Returns the keys of a map in the order of Go's `range` and `print`: by bytes. */
export function sortedKeys(map: TemplateMap): string[] {
  return Object.keys(map).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

/** Maps that a template has made, and may change. */
const made = new WeakSet<object>()

/** Makes a map without a prototype, so that `__proto__` is a member like others. */
export function templateMap(entries: Iterable<readonly [string, TemplateValue]>): TemplateMap {
  const map: { [key: string]: TemplateValue } = Object.create(null)
  for (const [key, value] of entries) map[key] = value
  made.add(map)
  return map
}

/** Returns the map for changes. Throws FunctionError if it is part of the object, which is shared. */
export function changeable(map: TemplateMap): { [key: string]: TemplateValue } {
  if (!made.has(map)) throw new FunctionError('the map is part of the object and cannot be changed: use deepCopy')
  return map
}

/** Whether `if`, `with`, `and`, `or` and `not` treat a value as true: it is not the zero of its type. */
export function isTruthy(value: TemplateValue): boolean {
  switch (typeof value) {
    case 'undefined':
      return false
    case 'boolean':
      return value
    case 'string':
      return value !== ''
    case 'number':
      // The text of a json.Number is never empty.
      return true
    case 'bigint':
      return value !== 0n
    default:
      if (value === null) return false
      if (value instanceof GoFloat) return value.value !== 0
      return isList(value) ? value.length > 0 : isWide(value) || namesOf(value).length > 0
  }
}

/** Deepest nesting of values that are printed. */
const MAX_DEPTH = 500

/** Prints a value as Go's `%v`. */
export function printed(value: TemplateValue, depth = 0): string {
  if (depth > MAX_DEPTH) throw new FunctionError('the value is nested too deeply')
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return '<nil>'
  if (typeof value !== 'object') return `${value}`
  if (value instanceof GoFloat) return formatDouble(value.value)
  if (isList(value)) return `[${value.map(item => printed(item, depth + 1)).join(' ')}]`
  return `map[${sortedKeys(value)
    .map(key => `${key}:${printed(memberOf(value, key), depth + 1)}`)
    .join(' ')}]`
}

/** Returns Go's name of a value's type, for error messages. */
export function typeName(value: TemplateValue): string {
  switch (typeof value) {
    case 'undefined':
      return '<nil>'
    case 'boolean':
      return 'bool'
    case 'string':
      return 'string'
    case 'number':
      return 'json.Number'
    case 'bigint':
      return 'int'
    default:
      if (value === null) return 'interface {}'
      if (value instanceof GoFloat) return 'float64'
      return isList(value) ? '[]interface {}' : 'map[string]interface {}'
  }
}

/** Returns Go's name of a value's kind, as `kindOf` names it. */
export function kindName(value: TemplateValue): string {
  if (value === null || value === undefined) return 'invalid'
  if (typeof value === 'number') return 'string'
  return isList(value) ? 'slice' : isMap(value) ? 'map' : typeName(value)
}
