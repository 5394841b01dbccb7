import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { propertySchema } from '../../schema/json-schema/props.ts'

const NAME_ALONE: JsonSchemaProps = { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } }

const isText = (schema: JsonSchemaProps, name: string): boolean => propertySchema(schema, name)?.type === 'string'

/** Maximum length of a name, in characters. The suffix of a generated one has at least one. */
const MOST_NAME = 253

const boundedText = (schema: JsonSchemaProps | undefined, most: number): JsonSchemaProps => ({
  type: 'string',
  maxLength: Math.min(most, schema?.maxLength ?? most),
})

/**
 * Adds apiVersion, kind, metadata.name and metadata.generateName to a schema. They are always visible in whole objects.
 * @param bounded whether the names have the maximum length of names, or that of the schema if it is shorter.
 */
export function withNames(schema: JsonSchemaProps, bounded = false): JsonSchemaProps {
  const metadata = propertySchema(schema, 'metadata')
  const whole = metadata?.type === 'object' && isText(metadata, 'name') && isText(metadata, 'generateName')
  if (isText(schema, 'kind') && isText(schema, 'apiVersion') && whole) return schema
  const names = (member: string): JsonSchemaProps | undefined => metadata && propertySchema(metadata, member)
  const boundedNames = { name: boundedText(names('name'), MOST_NAME), generateName: boundedText(names('generateName'), MOST_NAME - 1) }
  const shown: JsonSchemaProps = bounded ? { type: 'object', properties: boundedNames } : NAME_ALONE
  return { ...schema, properties: { ...schema.properties, kind: { type: 'string' }, apiVersion: { type: 'string' }, metadata: shown } }
}

/** Whether values of a nested schema are whole objects. */
export const isWhole = (schema: JsonSchemaProps): boolean => schema['x-kubernetes-embedded-resource'] === true
