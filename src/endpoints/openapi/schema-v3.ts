import { type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'

const DEFINITIONS = '#/definitions/'
const SCHEMAS = '#/components/schemas/'

/**
 * Converts a schema of Swagger to OpenAPI 3.0. References point to components; a reference with sibling members is
 * wrapped in an `allOf`, because OpenAPI 3.0 allows no siblings. Source: ConvertSchema and WrapRefs of
 * k8s.io/kube-openapi. Recurses as deeply as the schema is nested.
 */
export function schemaV3(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { $ref, ...members } = value
  const others = Object.fromEntries(Object.entries(members).map(([name, member]) => [name, memberV3(name, member)]))
  if (typeof $ref !== 'string') return others
  const reference = { $ref: $ref.startsWith(DEFINITIONS) ? SCHEMAS + $ref.slice(DEFINITIONS.length) : $ref }
  return Object.keys(others).length === 0 ? reference : { ...others, allOf: [reference] }
}

/** Converts a member of a schema: schemas in it are converted, other values are copied. */
function memberV3(name: string, value: Json): Json {
  switch (name) {
    case 'properties':
    case 'patternProperties':
      return schemasV3(objectIn(value))
    case 'items':
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(value) ? value.map(schemaV3) : schemaV3(value)
    case 'additionalProperties':
    case 'additionalItems':
    case 'not':
      return schemaV3(value)
    default:
      return value
  }
}

const schemasV3 = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schemaV3(schema)]))
