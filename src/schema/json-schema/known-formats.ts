import { FORMATS } from './formats.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps } from './props.ts'

/** A copy of a schema without the formats that say nothing of the objects of custom kinds: of numbers, and those that are not known. */
export const withKnownFormats = (schema: JsonSchemaProps): JsonSchemaProps =>
  everywhere(schema, ({ format, ...rest }) => ({ ...rest, ...(format !== undefined && FORMATS.has(format.replaceAll('-', '')) && { format }) }))

/** A copy of a schema that takes any value where it wants an integer or a text: upstream judges defaults so. */
export const withoutIntOrString = (schema: JsonSchemaProps): JsonSchemaProps => everywhere(schema, ({ 'x-kubernetes-int-or-string': _, ...rest }) => rest)

/** A copy in which the schema and those in it are changed. */
function everywhere(schema: JsonSchemaProps, change: (schema: JsonSchemaProps) => JsonSchemaProps): JsonSchemaProps {
  const inner = (each: JsonSchemaProps): JsonSchemaProps => everywhere(each, change)
  const { allOf, anyOf, oneOf, not, properties } = schema
  const items = itemsSchema(schema)
  const additional = additionalSchema(schema)
  return {
    ...change(schema),
    ...(allOf && { allOf: allOf.map(inner) }),
    ...(anyOf && { anyOf: anyOf.map(inner) }),
    ...(oneOf && { oneOf: oneOf.map(inner) }),
    ...(not && { not: inner(not) }),
    ...(items && { items: inner(items) }),
    ...(additional && { additionalProperties: inner(additional) }),
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, inner(member)])) }),
  }
}
