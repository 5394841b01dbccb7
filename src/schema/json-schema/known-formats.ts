import { FORMATS } from './formats.ts'
import type { JsonSchemaProps } from './props.ts'

/** A copy of a schema without the formats that say nothing of the objects of custom kinds: of numbers, and those that are not known. */
export function withKnownFormats(schema: JsonSchemaProps): JsonSchemaProps {
  const { format, ...rest } = schema
  const known = format !== undefined && FORMATS.has(format.replaceAll('-', ''))
  const out: Record<string, unknown> = { ...rest, ...(known && { format }) }
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) if (schema[name]) out[name] = schema[name].map(withKnownFormats)
  for (const name of ['not', 'items', 'additionalProperties'] as const) {
    const inner = schema[name]
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) out[name] = withKnownFormats(inner as JsonSchemaProps)
  }
  if (schema.properties) out.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, withKnownFormats(member)]))
  return out as JsonSchemaProps
}
