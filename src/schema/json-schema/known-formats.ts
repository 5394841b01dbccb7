import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { isTextFormat } from './formats.ts'
import { isNumberFormat } from './number-checks.ts'
import { additionalSchema, itemsSchema } from './props.ts'
import type { ValueRules } from './value-rules.ts'

/** Returns a copy of a schema without the formats that are not checked for custom kinds. */
export const withKnownFormats = (schema: JsonSchemaProps, rules: ValueRules): JsonSchemaProps =>
  everywhere(schema, ({ format, ...rest }) => ({ ...rest, ...(format !== undefined && isChecked(format, rest, rules) && { format }) }))

/** Whether the release checks a format. Before it checked those of numbers, it did so for any type. */
function isChecked(format: string, schema: JsonSchemaProps, rules: ValueRules): boolean {
  return rules.checksRanges ? isKnownFormat(format, schema, rules) : isTextFormat(format, rules)
}

/** Reports whether a format is known for the type of its schema. Others are warned of. */
export function isKnownFormat(format: string, { type = '' }: JsonSchemaProps, rules: ValueRules): boolean {
  if (type === '' || type === 'string') return isTextFormat(format, rules)
  return rules.checksRanges && isNumberFormat(format, type)
}

/**
 * Returns a copy of a schema without x-kubernetes-int-or-string, so that such values are not restricted. Upstream
 * validates defaults like this.
 */
export const withoutIntOrString = (schema: JsonSchemaProps): JsonSchemaProps =>
  everywhere(schema, ({ 'x-kubernetes-int-or-string': _, ...rest }) => rest)

/** Returns a copy in which the schema and all nested ones are changed. */
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
