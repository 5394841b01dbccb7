import { createHash } from 'node:crypto'
import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import type { Steps } from '../../lib/steps.ts'
import type { Json, JsonObject } from '../../meta/object.ts'
import { kindsByDefinition, TypeResolver } from './kinds.ts'
import { documentOperations, type Operation, reasonOf } from './operations.ts'
import { byName, type Parameter, parameterV2, parameterV3 } from './parameters.ts'

const title = 'Kubernetes'
const bearer = { type: 'apiKey', description: 'Bearer Token authentication', name: 'authorization', in: 'header' }

/** Operations by path, and the parameters that all operations of the path have. */
function byPath(operations: readonly Operation[]): Map<string, { operations: Operation[]; shared: Set<string> }> {
  const paths = new Map<string, { operations: Operation[]; shared: Set<string> }>()
  for (const operation of operations) {
    const known = paths.get(operation.path)
    const names = new Set(operation.parameters.map(idOf))
    if (!known) paths.set(operation.path, { operations: [operation], shared: names })
    else {
      known.operations.push(operation)
      for (const name of known.shared) if (!names.has(name)) known.shared.delete(name)
    }
  }
  return paths
}

const idOf = (parameter: Parameter): string => JSON.stringify(parameterV2(parameter))

function extensions({ action, gvk }: Operation): JsonObject {
  return {
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(gvk && { 'x-kubernetes-group-version-kind': { group: gvk.group, version: gvk.version, kind: gvk.kind } }),
  }
}

/** The whole API as Swagger 2.0, a path a step. */
export function* openApiV2(snapshot: CatalogSnapshot, release: string): Steps<JsonObject> {
  const resolver = new TypeResolver(2, kindsByDefinition(snapshot))
  const operations = [...documentOperations(snapshot).values()].flatMap(make => make())
  const uses = new Map<string, number>()
  for (const { parameters } of operations) for (const parameter of parameters) uses.set(idOf(parameter), (uses.get(idOf(parameter)) ?? 0) + 1)
  const common: [string, JsonObject][] = []
  const known = new Map<string, JsonObject>()
  /** A parameter that stands in many operations is written once. */
  const parameter = (value: Parameter): JsonObject => {
    const id = idOf(value)
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
  const paths: JsonObject = {}
  yield
  for (const [path, { operations: here, shared }] of [...byPath(operations)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    yield
    const item: JsonObject = {}
    for (const operation of here) {
      const own = operation.parameters.filter(p => !shared.has(idOf(p))).sort(byName)
      const body = operation.body && {
        name: 'body',
        in: 'body',
        ...(operation.body.required && { required: true }),
        schema: resolver.refer(operation.body.type),
      }
      const parameters = [...(body ? [body as JsonObject] : []), ...own.map(parameter)]
      item[operation.method] = {
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
    const common = (here[0] as Operation).parameters.filter(p => shared.has(idOf(p))).sort(byName)
    if (common.length > 0) item.parameters = common.map(parameter)
    paths[path] = item
  }
  yield
  return {
    swagger: '2.0',
    info: { title, version: release },
    paths,
    definitions: resolver.collected(),
    parameters: Object.fromEntries(common.sort(([a], [b]) => (a < b ? -1 : 1))),
    securityDefinitions: { BearerToken: { description: bearer.description, type: bearer.type, name: bearer.name, in: bearer.in } },
    security: [{ BearerToken: [] }],
  }
}

function responses(operation: Operation, content: (type: Operation['responses'][number]) => JsonObject): JsonObject {
  const out: JsonObject = {}
  for (const [status, type] of Object.entries(operation.responses)) out[status] = { description: reasonOf(Number(status)), ...content(type) }
  out[401] = { description: 'Unauthorized' }
  return out
}

/** One document of `/openapi/v3`. */
export function openApiV3(operations: readonly Operation[], resolver: TypeResolver, release: string): JsonObject {
  const paths: JsonObject = {}
  const contentOf = (types: readonly string[], schema: JsonObject): JsonObject => ({
    content: Object.fromEntries([...types].sort().map(type => [type, { schema }])),
  })
  for (const [path, { operations: here, shared }] of byPath(operations)) {
    const item: JsonObject = {}
    for (const operation of here) {
      const own = operation.parameters.filter(p => !shared.has(idOf(p))).sort(byName)
      item[operation.method] = {
        tags: [operation.tag],
        description: operation.description,
        operationId: operation.id,
        ...(own.length > 0 && { parameters: own.map(parameterV3) }),
        ...(operation.body && {
          requestBody: { ...contentOf(operation.consumes, resolver.refer(operation.body.type)), ...(operation.body.required && { required: true }) } as Json,
        }),
        responses: responses(operation, type => contentOf(operation.produces, resolver.refer(type))),
        ...extensions(operation),
      }
    }
    const common = (here[0] as Operation).parameters.filter(p => shared.has(idOf(p))).sort(byName)
    if (common.length > 0) item.parameters = common.map(parameterV3)
    paths[path] = item
  }
  return {
    openapi: '3.0.0',
    info: { title, version: release },
    paths,
    components: { schemas: resolver.collected(), securitySchemes: { BearerToken: { ...bearer } } },
  }
}
