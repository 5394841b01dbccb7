import { type JsonSchemaProps, propertySchema } from '../../schema/json-schema/props.ts'

const NAME_ALONE: JsonSchemaProps = { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } }

const isText = (schema: JsonSchemaProps, name: string): boolean => propertySchema(schema, name)?.type === 'string'

/** Of a whole object kind, apiVersion and the name are always seen. */
export function withNames(schema: JsonSchemaProps): JsonSchemaProps {
  const metadata = propertySchema(schema, 'metadata')
  const whole = metadata?.type === 'object' && isText(metadata, 'name') && isText(metadata, 'generateName')
  if (isText(schema, 'kind') && isText(schema, 'apiVersion') && whole) return schema
  return { ...schema, properties: { ...schema.properties, kind: { type: 'string' }, apiVersion: { type: 'string' }, metadata: NAME_ALONE } }
}

/** Whether values of a schema within another are whole objects. */
export const isWhole = (schema: JsonSchemaProps): boolean => schema['x-kubernetes-embedded-resource'] === true
