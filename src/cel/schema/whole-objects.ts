import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { propertySchema } from '../../schema/json-schema/props.ts'

const NAME_ALONE: JsonSchemaProps = { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } }

const isText = (schema: JsonSchemaProps, name: string): boolean => propertySchema(schema, name)?.type === 'string'

/** Adds apiVersion, kind, metadata.name and metadata.generateName to a schema. They are always visible in whole objects. */
export function withNames(schema: JsonSchemaProps): JsonSchemaProps {
  const metadata = propertySchema(schema, 'metadata')
  const whole = metadata?.type === 'object' && isText(metadata, 'name') && isText(metadata, 'generateName')
  if (isText(schema, 'kind') && isText(schema, 'apiVersion') && whole) return schema
  return { ...schema, properties: { ...schema.properties, kind: { type: 'string' }, apiVersion: { type: 'string' }, metadata: NAME_ALONE } }
}

/** Whether values of a nested schema are whole objects. */
export const isWhole = (schema: JsonSchemaProps): boolean => schema['x-kubernetes-embedded-resource'] === true
