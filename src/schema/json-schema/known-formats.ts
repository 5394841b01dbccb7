import { FORMATS } from './formats.ts'
import type { JsonSchemaProps } from './props.ts'

/** A copy of a schema without the formats that say nothing of the objects of custom kinds: of numbers, and those that are not known. */
export const withKnownFormats = (schema: JsonSchemaProps): JsonSchemaProps =>
  everywhere(schema, ({ format, ...rest }) => ({ ...rest, ...(format !== undefined && FORMATS.has(format.replaceAll('-', '')) && { format }) }))

/** A copy of a schema that does not tell integers and texts from other values where it wants either of them: upstream judges defaults so. */
export const withoutIntOrString = (schema: JsonSchemaProps): JsonSchemaProps => everywhere(schema, ({ 'x-kubernetes-int-or-string': _, ...rest }) => rest)

/** A copy in which the schema and those in it are changed. */
function everywhere(schema: JsonSchemaProps, change: (schema: JsonSchemaProps) => JsonSchemaProps): JsonSchemaProps {
  const inner = (each: JsonSchemaProps): JsonSchemaProps => everywhere(each, change)
  const out: Record<string, unknown> = { ...change(schema) }
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) if (schema[name]) out[name] = schema[name].map(inner)
  for (const name of ['not', 'items', 'additionalProperties'] as const) {
    const value = schema[name]
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) out[name] = inner(value as JsonSchemaProps)
  }
  if (schema.properties) out.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, inner(member)]))
  return out as JsonSchemaProps
}
