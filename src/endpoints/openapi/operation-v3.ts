import { type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { schemaV3 } from './schema-v3.ts'

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']
/** Members that both versions have in common. */
const PLAIN = ['description', 'externalDocs', 'tags', 'summary', 'deprecated', 'operationId']
const PARAMETERS = '#/parameters/'
/** Maximum media types of an operation. Its schema is repeated for each of them. */
const MOST_MEDIA_TYPES = 16

/**
 * Converts a path item of Swagger to OpenAPI 3.0. `parameters`: those of the document, by name. Source: ConvertPathItem
 * of k8s.io/kube-openapi.
 */
export function pathItemV3(item: JsonObject, parameters: Readonly<JsonObject>): JsonObject {
  const methods = METHODS.flatMap(method =>
    item[method] === undefined ? [] : [[method, operationV3(objectIn(item[method]), parameters)] as const],
  )
  return {
    ...extensionsOf(item),
    ...Object.fromEntries(methods),
    ...(Array.isArray(item.parameters) && { parameters: item.parameters.map(each => parameterV3(objectIn(each))) }),
  }
}

/** Converts an operation. Its body parameter becomes the requestBody. */
function operationV3(operation: JsonObject, known: Readonly<JsonObject>): JsonObject {
  const parameters = listOrEmpty(operation.parameters).map(objectIn)
  const bodies = parameters.flatMap(each => bodySchema(each, known) ?? [])
  const others = parameters.filter(each => bodySchema(each, known) === undefined)
  const [body] = bodies
  return {
    ...picked(operation, PLAIN),
    ...extensionsOf(operation),
    ...(others.length > 0 && { parameters: others.map(parameterV3) }),
    ...(body !== undefined && { requestBody: { content: contentOf(body, operation.consumes) } }),
    responses: responsesV3(objectIn(operation.responses), operation.produces),
  }
}

/**
 * Returns the schema of a body parameter. A referenced parameter is resolved only if its schema is a reference, because
 * any other schema would be repeated in each operation.
 */
function bodySchema(parameter: JsonObject, known: Readonly<JsonObject>): Json | undefined {
  const { $ref } = parameter
  if (typeof $ref !== 'string') return parameter.name === 'body' ? parameter.schema : undefined
  const { name, schema } = objectIn($ref.startsWith(PARAMETERS) ? known[$ref.slice(PARAMETERS.length)] : undefined)
  return name === 'body' && objectIn(schema).$ref !== undefined ? schema : undefined
}

/** Converts a parameter other than a body. */
export function parameterV3(parameter: JsonObject): JsonObject {
  const { $ref, schema } = parameter
  if (typeof $ref === 'string') return { $ref: $ref.replace(PARAMETERS, '#/components/parameters/') }
  return {
    ...extensionsOf(parameter),
    ...picked(parameter, ['name', 'in', 'description', 'required', 'allowEmptyValue']),
    schema: schema === undefined ? picked(parameter, ['type', 'format', 'uniqueItems']) : schemaV3(schema),
  }
}

const responsesV3 = (responses: JsonObject, produces: Json | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(responses).map(([code, response]) => [
      code,
      code.startsWith('x-') ? response : responseV3(objectIn(response), produces),
    ]),
  )

function responseV3(response: JsonObject, produces: Json | undefined): JsonObject {
  const { description = '', schema } = response
  return { ...extensionsOf(response), description, ...(schema !== undefined && { content: contentOf(schema, produces) }) }
}

function contentOf(schema: Json, mediaTypes: Json | undefined): JsonObject {
  const converted = schemaV3(schema)
  const types = listOrEmpty(mediaTypes).filter(each => typeof each === 'string')
  return Object.fromEntries(types.slice(0, MOST_MEDIA_TYPES).map(type => [type, { schema: converted }]))
}

const listOrEmpty = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

const picked = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap(name => (object[name] === undefined ? [] : [[name, object[name]] as const])))

const extensionsOf = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name.startsWith('x-')))
