import { type JsonObject, objectIn } from '../../api/meta/object.ts'
import { encodeOpenApi } from './gnostic-v3.ts'
import type { ForeignSwagger } from './merge.ts'
import type { DocumentPieces, OpenApi } from './open-api.ts'
import { parameterV3, pathItemV3 } from './operation-v3.ts'
import { schemaV3 } from './schema-v3.ts'

type OpenApiPart = 'paths' | 'schemas' | 'parameters'

interface OpenApiMember {
  readonly part: OpenApiPart
  readonly name: string
  readonly value: JsonObject
}

const HEAD = { openapi: '3.0.0', info: { title: 'Kubernetes', version: 'unversioned' } }
/** Text before the members of a part, which may be empty. */
const BEFORE: Readonly<Record<OpenApiPart, string>> = {
  paths: ',"paths":{',
  schemas: '},"components":{"schemas":{',
  parameters: '},"parameters":{',
}
const PARTS = ['paths', 'schemas', 'parameters'] as const

/**
 * Adds documents of aggregated servers that only have `/openapi/v2`, by path. Documents of this server take precedence.
 * Source: k8s.io/kube-aggregator, pkg/controllers/openapiv3.
 */
export function withConverted(own: OpenApi, foreign: ReadonlyMap<string, ForeignSwagger>): OpenApi {
  if (foreign.size === 0) return own
  const swaggerOf = (path: string): ForeignSwagger | undefined => (own.has(path) ? undefined : foreign.get(path))
  return {
    v2: own.v2,
    v2Proto: own.v2Proto,
    paths: () => [...own.paths(), ...[...foreign.keys()].filter(path => !own.has(path))].sort(),
    has: path => own.has(path) || foreign.has(path),
    partsOf(path) {
      const swagger = swaggerOf(path)
      return swagger ? [swagger] : own.partsOf(path)
    },
    v3(path) {
      const swagger = swaggerOf(path)
      return swagger ? documentJson(swagger) : own.v3(path)
    },
    v3Proto(path) {
      const swagger = swaggerOf(path)
      return swagger ? documentProtobuf(swagger) : own.v3Proto(path)
    },
  }
}

/** Returns an OpenAPI 3.0 document in JSON. */
function* documentJson(swagger: ForeignSwagger): DocumentPieces {
  yield Buffer.from(JSON.stringify(HEAD).slice(0, -1))
  for (const part of PARTS) {
    yield Buffer.from(BEFORE[part])
    let separator = ''
    for (const { name, value } of convertPart(swagger, part)) {
      yield Buffer.from(`${separator}${JSON.stringify(name)}:${JSON.stringify(value)}`)
      separator = ','
    }
  }
  yield Buffer.from('}}}')
}

/** Returns the document in gnostic's protobuf form. Readers merge messages that come in pieces. */
function* documentProtobuf(swagger: ForeignSwagger): DocumentPieces {
  yield* yield* encodeOpenApi(HEAD)
  for (const part of PARTS)
    for (const { name, value } of convertPart(swagger, part))
      yield* yield* encodeOpenApi(part === 'paths' ? { paths: { [name]: value } } : { components: { [part]: { [name]: value } } })
}

function* convertPart({ paths, definitions, parameters }: ForeignSwagger, part: OpenApiPart): Generator<OpenApiMember> {
  if (part === 'paths')
    for (const [name, item] of Object.entries(paths)) yield { part, name, value: pathItemV3(objectIn(item), parameters) }
  else if (part === 'schemas')
    for (const [name, schema] of Object.entries(definitions)) yield { part, name, value: objectIn(schemaV3(schema)) }
  else
    for (const [name, parameter] of Object.entries(parameters))
      if (objectIn(parameter).in !== 'body') yield { part, name, value: parameterV3(objectIn(parameter)) }
}
