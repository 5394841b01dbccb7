import { type CatalogSnapshot, type ServedResource, subresourceOf } from '../../catalog/catalog.ts'
import type { Subresource } from '../../catalog/definition.ts'
import { invariant } from '../../lib/invariant.ts'
import type { ResourceRequestInfo } from '../../meta/context.ts'
import { failure, pathNotFoundError, type StatusError } from '../../meta/status.ts'
import { groupResourceOf } from '../../registry/types.ts'
import { dialectOf } from '../dialect/dialect-of.ts'
import type { Exchange } from '../exchange.ts'
import { notServed } from '../not-found.ts'
import { type EndpointEnvironment, type InfoOf, Scope, type ServedVerb } from '../scope.ts'
import type { ApiFilter } from './filter.ts'

/** Resolves the request against the current catalog. If a kind's definition is established but the kind is not yet served here, waits until it is. Throws 404, 405 and 400 for requests without a route. */
export const withScope =
  (env: EndpointEnvironment): ApiFilter =>
  ({ state }, next) => {
    const { exchange } = state
    const { info, ctx } = exchange
    invariant(info.isResource, 'the request is for a resource')
    const snapshot = env.catalog.snapshot()
    const proceed = (kinds: typeof snapshot): Promise<void> => {
      state.scope = resolve(exchange, info, env, kinds)
      return next()
    }
    if (!env.awaitKind || snapshot.definition(info.group, info.resource) !== undefined) return proceed(snapshot)
    return env.awaitKind(info.group, info.resource, ctx.signal).then(() => proceed(env.catalog.snapshot()))
  }

/**
 * Resolves a request against the catalog, and checks that its verb is supported. Throws 404, 405 and 400 with upstream's messages, and a PlainTextError if upstream passes the request on to a handler that does not
 * respond with a Status.
 */
function resolve(exchange: Exchange, info: ResourceRequestInfo, env: EndpointEnvironment, snapshot: CatalogSnapshot): Scope {
  const served = servedAt(snapshot, info)
  if (served === undefined || info.verb === 'proxy') throw notServed(info.path, snapshot)
  const dialect = dialectOf(served.version.schema)
  const refused = (error: StatusError): StatusError => {
    const warning = dialect.refusalWarning(served)
    if (warning !== undefined) exchange.ctx.warn(warning)
    return error
  }
  const subresource = info.subresource === '' ? undefined : subresourceFor(info, served)
  if (subresource === null) throw refused(dialect.noSubresource(served, info.name))
  if (info.rest.length > 0 && !subresource?.connect?.subpath) throw pathNotFoundError()
  // A cluster-scoped resource is not found in a namespace. A namespaced one can be read across all namespaces, but not written.
  dialect.checkPlace(served, info)
  if (!isServed(info, served, subresource)) throw refused(dialect.notAllowed(served, info.verb))
  if (info.verb === 'create' && subresource === undefined && isGoing(served)) throw refused(createWhileGoing(served))
  return new Scope(exchange, env, { snapshot, served, subresource, info })
}

/** Reports whether the request has a route: its resource and subresource are served and support its verb. */
export function hasRoute(snapshot: CatalogSnapshot, info: ResourceRequestInfo): boolean {
  const served = servedAt(snapshot, info)
  if (served === undefined) return false
  const subresource = info.subresource === '' ? undefined : subresourceFor(info, served)
  return subresource !== null && isServed(info, served, subresource)
}

/** Returns the resource of a request. A path with repeated slashes or an empty group parses as a resource request, but is not served. */
function servedAt(snapshot: CatalogSnapshot, { path, apiPrefix, group, version, resource }: ResourceRequestInfo): ServedResource | undefined {
  const isApiPath = path.startsWith(`/${apiPrefix}/`) && (apiPrefix === 'apis') === (group !== '')
  return isApiPath ? snapshot.find(group, version, resource) : undefined
}

/** Returns the subresource, which requires the name of an object. Null if there is none of that name. */
const subresourceFor = ({ subresource, namesObject, watchPath }: ResourceRequestInfo, { version }: ServedResource): Subresource | null =>
  namesObject && !watchPath ? (subresourceOf(version, subresource) ?? null) : null

/** Reports whether the path has a route for the verb. */
function isServed(info: ResourceRequestInfo, served: ServedResource, subresource: Subresource | undefined): info is InfoOf<ServedVerb> {
  const { verb, method, watchPath, namesObject, namespace } = info
  if (subresource?.connect) return subresource.connect.methods.includes(method)
  if (method === 'HEAD' || (watchPath && method !== 'GET')) return false
  if (!(subresource ?? served.version).verbs.includes(verb)) return false
  switch (verb) {
    case 'get':
    case 'list':
    case 'watch':
    case 'delete':
      return true
    case 'update':
    case 'patch':
      return namesObject
    case 'create':
    case 'deletecollection':
      return subresource !== undefined || (!namesObject && (namespace !== '' || served.definition.scope === 'Cluster'))
    default:
      return false
  }
}

/** Reports whether the definition of a custom resource is being deleted: discovery then lists no writes. Upstream refuses only `create`, and not if an apply creates. */
const isGoing = ({ version }: ServedResource): boolean => version.advertisedVerbs?.includes('create') === false

function createWhileGoing(served: ServedResource): StatusError {
  const { group, resource } = groupResourceOf(served)
  return failure(405, 'MethodNotAllowed', 'create not allowed while custom resource definition is terminating', {
    ...(group !== '' && { group }),
    kind: resource,
  })
}
