import { createHash } from 'node:crypto'
import type { JsonObject } from '../../api/meta/object.ts'
import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import type { Descriptions } from '../../schema/openapi/descriptions.ts'
import { kindsByDefinition, TypeResolver } from './kinds.ts'
import type { Operation } from './operation.ts'
import { documentOperations } from './operations.ts'
import { compareParameters, type Parameter, parameterV2, parameterV3 } from './parameters.ts'

const TITLE = 'Kubernetes'
const bearer = { type: 'apiKey', description: 'Bearer Token authentication', name: 'authorization', in: 'header' }

interface Path {
  readonly operations: Operation[]
  /** Parameters that all operations of the path have, by id. They are written once for the path. */
  readonly common: Map<string, Parameter>
}

/**
 * Groups operations by path, in order. In steps, because a definition with very many versions has tens of thousands.
 */
function* byPath(operations: readonly Operation[]): Steps<Map<string, Path>> {
  const paths = new Map<string, Path>()
  for (const operation of operations) {
    if (isStepDone()) yield
    const known = paths.get(operation.path)
    const own = new Map(operation.parameters.map(parameter => [parameterId(parameter), parameter]))
    if (!known) paths.set(operation.path, { operations: [operation], common: own })
    else {
      known.operations.push(operation)
      for (const id of known.common.keys()) if (!own.has(id)) known.common.delete(id)
    }
  }
  return paths
}

/** Returns the parameters of an operation that the other operations of its path do not have. */
const ownParameters = ({ parameters }: Operation, { common }: Path): Parameter[] =>
  parameters.filter(each => !common.has(parameterId(each))).sort(compareParameters)

const commonParameters = ({ common }: Path): Parameter[] => [...common.values()].sort(compareParameters)

const ids = new WeakMap<Parameter, string>()

/** Returns the identity of a parameter. Cached, because most parameters are shared by all operations. */
function parameterId(parameter: Parameter): string {
  let id = ids.get(parameter)
  if (id === undefined) {
    id = JSON.stringify(parameterV2(parameter))
    ids.set(parameter, id)
  }
  return id
}

/** Returns the members by which `kubectl explain` and client generators find the kind of an operation. */
function extensions({ action, gvk }: Operation): JsonObject {
  return {
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(gvk && { 'x-kubernetes-group-version-kind': { group: gvk.group, version: gvk.version, kind: gvk.kind } }),
  }
}

/** A member of one of the parts of a Swagger document. */
export interface SwaggerMember {
  readonly part: (typeof SWAGGER_PARTS)[number]
  readonly name: string
  readonly value: JsonObject
}

/** Parts with many members, in the order in which they are made. */
export const SWAGGER_PARTS = ['paths', 'definitions', 'parameters'] as const

/** Members of a Swagger document before those parts. */
export const swaggerHead = (release: string): JsonObject => ({ swagger: '2.0', info: { title: TITLE, version: release } })
/** Members behind those parts. They declare one way to authenticate: a bearer token. */
export const swaggerTail: JsonObject = {
  securityDefinitions: { BearerToken: { description: bearer.description, type: bearer.type, name: bearer.name, in: bearer.in } },
  security: [{ BearerToken: [] }],
}

/**
 * Returns the members of a Swagger 2.0 document of the whole API, one at a time: with many custom resources, the
 * document is several times as large as everything else that is cached. Undefined where other work may run.
 */
export function* swaggerMembers(snapshot: CatalogSnapshot, descriptions: Descriptions): Generator<SwaggerMember | undefined, void> {
  const resolver = new TypeResolver(2, kindsByDefinition(snapshot), snapshot.release, descriptions)
  const operations: Operation[] = []
  /** Number of operations that have a parameter, by id. */
  const uses = new Map<string, number>()
  for (const make of documentOperations(snapshot, () => descriptions).values()) {
    const made = make()
    operations.push(...made)
    for (const { parameters } of made)
      for (const parameter of parameters) uses.set(parameterId(parameter), (uses.get(parameterId(parameter)) ?? 0) + 1)
    yield
  }
  /** Shared parameters with their names. */
  const common: [string, JsonObject][] = []
  const known = new Map<string, JsonObject>()
  /** Returns a parameter, or a reference to it if at least 8 operations have it. */
  const parameter = (value: Parameter): JsonObject => {
    const id = parameterId(value)
    if ((uses.get(id) ?? 0) < 8) return parameterV2(value)
    let reference = known.get(id)
    if (!reference) {
      const name = `${value.name}-${createHash('sha256').update(id).digest('base64url').slice(0, 8)}`
      common.push([name, parameterV2(value)])
      reference = { $ref: `#/parameters/${name}` }
      known.set(id, reference)
    }
    return reference
  }
  for (const [name, path] of [...(yield* byPath(operations))].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const item: JsonObject = {}
    for (const operation of path.operations)
      item[operation.method] = operationV2(operation, ownParameters(operation, path), resolver, parameter)
    const common = commonParameters(path)
    if (common.length > 0) item.parameters = common.map(parameter)
    yield { part: 'paths', name, value: item }
  }
  for (const member of resolver.members()) yield member && { part: 'definitions', name: member[0], value: member[1] }
  for (const [name, value] of common.sort(([a], [b]) => (a < b ? -1 : 1))) yield { part: 'parameters', name, value }
}

/**
 * Converts an operation to Swagger 2.0. `own`: parameters that are not those of its path. `parameter`: writes a
 * parameter, or a reference to it.
 */
function operationV2(
  operation: Operation,
  own: readonly Parameter[],
  resolver: TypeResolver,
  parameter: (value: Parameter) => JsonObject,
): JsonObject {
  const body = operation.body && {
    name: 'body',
    in: 'body',
    ...(operation.body.required && { required: true }),
    schema: resolver.refer(operation.body.type),
  }
  const parameters: JsonObject[] = [...(body ? [body] : []), ...own.map(parameter)]
  return {
    description: operation.description,
    ...(operation.consumes.length > 0 && { consumes: [...operation.consumes] }),
    produces: [...operation.produces],
    schemes: ['https'],
    tags: [operation.tag],
    operationId: operation.id,
    ...(parameters.length > 0 && { parameters }),
    responses: responses(operation, type => ({ schema: resolver.refer(type) })),
    ...extensions(operation),
  }
}

/** Descriptions of successful responses. Upstream uses HTTP's reason phrases. */
const REASONS: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

/** Returns the responses of an operation. Every operation has a 401. */
function responses(operation: Operation, content: (type: Operation['responses'][number]) => JsonObject): JsonObject {
  const out: JsonObject = {}
  for (const [status, type] of Object.entries(operation.responses)) out[status] = { description: REASONS[status] ?? '', ...content(type) }
  out[401] = { description: 'Unauthorized' }
  return out
}

/** Members of a document of `/openapi/v3` besides operations and types. */
interface DocumentFrame {
  readonly info: JsonObject
  /** Optional. Ways to authenticate. */
  readonly securitySchemes?: JsonObject
}

/** Frame of the server's own kinds. `release`: the version in its `info`. */
export const builtInFrame = (release: string): DocumentFrame => ({
  info: { title: TITLE, version: release },
  securitySchemes: { BearerToken: { ...bearer } },
})
/** Frame of custom resources, whose documents upstream makes with another program. */
export const CUSTOM_FRAME: DocumentFrame = { info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' } }

/** Returns a document of `/openapi/v3`. */
export function* openApiV3(
  operations: readonly Operation[],
  resolver: TypeResolver,
  { info, securitySchemes }: DocumentFrame,
): Steps<JsonObject> {
  const paths: JsonObject = {}
  const contentOf = (types: readonly string[], schema: JsonObject): JsonObject => ({
    content: Object.fromEntries([...types].sort().map(type => [type, { schema }])),
  })
  for (const [name, path] of yield* byPath(operations)) {
    const item: JsonObject = {}
    for (const operation of path.operations) {
      const own = ownParameters(operation, path)
      item[operation.method] = {
        tags: [operation.tag],
        description: operation.description,
        operationId: operation.id,
        ...(own.length > 0 && { parameters: own.map(parameterV3) }),
        ...(operation.body && {
          requestBody: {
            ...contentOf(operation.consumes, resolver.refer(operation.body.type)),
            ...(operation.body.required && { required: true }),
          },
        }),
        responses: responses(operation, type => contentOf(operation.produces, resolver.refer(type))),
        ...extensions(operation),
      }
    }
    const common = commonParameters(path)
    if (common.length > 0) item.parameters = common.map(parameterV3)
    paths[name] = item
  }
  const schemas: JsonObject = {}
  for (const member of resolver.members()) {
    if (member === undefined) yield
    else schemas[member[0]] = member[1]
  }
  return {
    openapi: '3.0.0',
    info,
    paths,
    components: { schemas, ...(securitySchemes && { securitySchemes }) },
  }
}
