import type { Json } from '../../api/meta/object.ts'
import { goJsonText } from '../../lib/go-json-text.ts'
import { quote } from '../../lib/go-quote.ts'
import { type Verbatim, verbatim } from '../../meta/field-error.ts'
import { sortedKeys } from '../members.ts'

/** Prepares a value of the JSON data model for a message: objects and lists are formatted like Go's %#v, others are returned unchanged. */
export const goValue = (value: Json | undefined): Json | Verbatim | undefined =>
  typeof value === 'object' && value !== null ? verbatim(goLiteral(value), () => sortedJson(value)) : value

/** Formats a value of the JSON data model like Go's %#v. `key`: type of the keys. */
export function goLiteral(value: Json, key: 'string' | 'interface {}' = 'string'): string {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(item => goLiteral(item, key)).join(', ')}}`
  return `map[${key}]interface {}{${sortedKeys(value)
    .map(name => `${quote(name)}:${goLiteral(value[name] ?? null, key)}`)
    .join(', ')}}`
}

/** Writes a value as JSON, with the members of objects sorted by name. Integers beyond 2^53 are bigints, which JSON.stringify refuses. */
function sortedJson(value: Json): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return goJsonText(value)
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  return `{${sortedKeys(value)
    .map(key => `${goJsonText(key)}:${sortedJson(value[key] ?? null)}`)
    .join(',')}}`
}
