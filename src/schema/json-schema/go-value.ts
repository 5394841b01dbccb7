import type { Json } from '../../api/meta/object.ts'
import { quote } from '../../lib/go-quote.ts'
import { type Verbatim, verbatim } from '../../meta/field-error.ts'
import { goJson } from '../json-text.ts'
import { sortedKeys } from '../members.ts'

/**
 * Prepares a value of the JSON data model for a message: objects and lists are formatted like Go's %#v, others are
 * returned unchanged.
 */
export const goValue = (value: Json | undefined): Json | Verbatim | undefined =>
  typeof value === 'object' && value !== null ? verbatim(goLiteral(value), () => goJson(value)) : value

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
