import { isJsonObject, type Json, type JsonObject } from '../../meta/object.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps } from './props.ts'

const TYPE_MEMBERS: JsonObject = {
  apiVersion: { description: 'Group and version in which the object is written.', type: 'string' },
  kind: { description: 'Type of the object.', type: 'string' },
}

/** The definition of a custom kind in OpenAPI. `metadata`: a reference to the type of every object's metadata. */
export function openApiOf(schema: JsonSchemaProps | undefined, version: 2 | 3, metadata: JsonObject): JsonObject {
  const own: JsonObject = schema === undefined ? { type: 'object' } : version === 2 ? plainly(schema) : { ...schema }
  const about = { description: 'What every object has: its name, labels and more.' }
  const members = { ...TYPE_MEMBERS, metadata: version === 2 ? { ...about, ...metadata } : { ...about, allOf: [metadata] } }
  if (schema === undefined || (version === 2 && schema['x-kubernetes-preserve-unknown-fields'])) {
    return { ...own, type: 'object', ...(version === 3 && { properties: members }) }
  }
  return { ...own, properties: { ...(isJsonObject(own.properties) ? own.properties : {}), ...members } }
}

/** Members that Swagger 2.0 does not have, or that its readers misread. */
const NOT_IN_V2 = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable', 'properties', 'items', 'additionalProperties'])

/** A schema in what Swagger 2.0 can say: a value that may be null, or of several types, is any value. */
function plainly(schema: JsonSchemaProps): JsonObject {
  const out: JsonObject = {}
  for (const [name, value] of Object.entries<Json>(schema)) if (!NOT_IN_V2.has(name)) out[name] = value
  if (schema.nullable) {
    delete out.type
    return out
  }
  if (schema['x-kubernetes-int-or-string']) return { ...out, type: 'string', format: 'int-or-string' }
  if (schema['x-kubernetes-preserve-unknown-fields'] && schema.type !== 'array') return out
  const items = itemsSchema(schema)
  const additional = additionalSchema(schema)
  if (items) out.items = plainly(items)
  if (additional) out.additionalProperties = plainly(additional)
  else if (typeof schema.additionalProperties === 'boolean') out.additionalProperties = schema.additionalProperties
  if (schema.properties) out.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, plainly(member)]))
  return out
}
