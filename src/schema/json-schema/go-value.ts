import { goJsonText } from '../../lib/go-json-text.ts'
import { quote } from '../../lib/go-quote.ts'
import { type Verbatim, verbatim } from '../../meta/field-error.ts'
import type { Json } from '../../meta/object.ts'
import { sortedKeys } from '../members.ts'

/** A value of the JSON data model for a message: objects and lists as Go's %#v prints them, all else as it is. */
export const goValue = (value: Json | undefined): Json | Verbatim | undefined =>
  typeof value === 'object' && value !== null ? verbatim(goLiteral(value), () => goJsonText(sorted(value))) : value

/** A value of the JSON data model as Go's %#v prints it. `key`: the type of keys. */
export function goLiteral(value: Json, key: 'string' | 'interface {}' = 'string'): string {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(item => goLiteral(item, key)).join(', ')}}`
  return `map[${key}]interface {}{${sortedKeys(value)
    .map(name => `${quote(name)}:${goLiteral(value[name] ?? null, key)}`)
    .join(', ')}}`
}

/** With the members of objects in the order of their names. */
function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? value.map(sorted) : Object.fromEntries(sortedKeys(value).map(key => [key, sorted(value[key] ?? null)]))
}
