import type { Json, JsonObject } from '../../../api/meta/object.ts'
import { escapeAsGo } from '../../../lib/go-json-text.ts'
import { FunctionError } from './errors.ts'
import { GoFloat } from './nodes.ts'
import { isList, isMap, memberOf, sortedKeys, type TemplateValue } from './values.ts'

/** Deepest nesting of values that are written. */
const MAX_DEPTH = 500

/** Returns a value as JSON, with the members of maps in order. */
export function plainValue(value: TemplateValue, depth = 0): Json {
  if (depth > MAX_DEPTH) throw new FunctionError('the value is nested too deeply')
  if (value === undefined || value === null) return null
  if (typeof value !== 'object') return value
  if (value instanceof GoFloat) return value.value
  if (isList(value)) return value.map(item => plainValue(item, depth + 1))
  const result: JsonObject = Object.create(null)
  if (isMap(value)) for (const key of sortedKeys(value)) result[key] = plainValue(memberOf(value, key), depth + 1)
  return result
}

/** Prints a value as Go's json.Marshal, or as MarshalIndent with two spaces. */
export function jsonText(value: TemplateValue, indent = ''): string {
  // Integers of templates have up to 64 bits, which JSON.stringify does not accept.
  const integers: string[] = []
  const text = JSON.stringify(
    plainValue(value),
    (_, member: unknown) => {
      if (typeof member !== 'bigint') return member
      if (Number.isSafeInteger(Number(member))) return Number(member)
      integers.push(`${member}`)
      return `\0${integers.length - 1}\0`
    },
    indent,
  )
  return escapeAsGo(integers.length === 0 ? text : text.replace(/"\\u0000(\d+)\\u0000"/g, (_, i: string) => integers[Number(i)] ?? ''))
}
