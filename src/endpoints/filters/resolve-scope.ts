import type { CatalogSnapshot, ServedResource } from '../../catalog/catalog.ts'
import type { Subresource } from '../../catalog/definition.ts'
import { invariant } from '../../lib/invariant.ts'
import { DEFAULT_RELEASE } from '../../lifecycle/release.ts'
import type { ResourceRequestInfo } from '../../meta/context.ts'
import { failure, StatusError } from '../../meta/status.ts'
import { NO_CREATES, refusesCreates } from '../../registry/going-kinds.ts'
import { groupResourceOf } from '../../registry/types.ts'
import { dialectOf } from '../dialect/dialect-of.ts'
import type { Exchange } from '../exchange.ts'
import { notServed } from '../not-found.ts'
import { areKindsServed, type EndpointEnvironment, handlesSince, type InfoOf, Scope, type ServedVerb } from '../scope.ts'
import type { ApiFilter } from './filter.ts'

/**
 * Resolves the request against the current catalog. If a kind's definition is established but the kind is not yet
 * served here, waits until it is. Throws 404, 405 and 400 for requests without a route, and 503 while it may follow.
 */
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
 * Resolves a request against the catalog, and checks that its verb is supported. Throws 404, 405 and 400 with
 * upstream's messages, and a PlainTextError if upstream passes the request on to a handler that does not respond with a
 * Status.
 */
function resolve(exchange: Exchange, info: ResourceRequestInfo, env: EndpointEnvironment, snapshot: CatalogSnapshot): Scope {
  const served = servedAt(snapshot, info)
  if (served === undefined || !hasServedVerb(info)) throw notServed(info.path, snapshot, areKindsServed(env))
  return new Scope(exchange, env, { snapshot, served, subresource: routeOf(exchange, served, info, env), info })
}

const hasServedVerb = (info: ResourceRequestInfo): info is InfoOf<ServedVerb> => info.verb !== 'proxy'

/**
 * Returns the subresource that the path names. Throws if the path has no route for the verb. A refusal may come with
 * the warning of a deprecated version.
 */
function routeOf(exchange: Exchange, served: ServedResource, info: ResourceRequestInfo, env: EndpointEnvironment): Subresource | undefined {
  const dialect = dialectOf(served.version.schema)
  try {
    const subresource = dialect.route(served, info)
    if (
      info.verb === 'create' &&
      subresource === undefined &&
      !refusesLater(env) &&
      refusesCreates(served.version, env.release ?? DEFAULT_RELEASE)
    )
      throw createWhileGoing(served)
    return subresource
  } catch (error) {
    const warning = error instanceof StatusError ? dialect.refusalWarning(served) : undefined
    if (warning !== undefined) exchange.ctx.warn(warning)
    throw error
  }
}

/** Reports whether the request has a route: its resource and subresource are served and support its verb. */
export function hasRoute(snapshot: CatalogSnapshot, info: ResourceRequestInfo): boolean {
  const served = servedAt(snapshot, info)
  return served !== undefined && dialectOf(served.version.schema).hasRoute(served, info)
}

/**
 * Returns the resource of a request. A path with repeated slashes or an empty group parses as a resource request, but
 * is not served.
 */
function servedAt(
  snapshot: CatalogSnapshot,
  { path, apiPrefix, group, version, resource }: ResourceRequestInfo,
): ServedResource | undefined {
  const isApiPath = path.startsWith(`/${apiPrefix}/`) && (apiPrefix === 'apis') === (group !== '')
  return isApiPath ? snapshot.find(group, version, resource) : undefined
}

/**
 * Whether creates of a custom kind whose definition is being deleted are refused by admission. Before 1.34 only POST is
 * refused, and not an apply that creates.
 */
const refusesLater = (env: EndpointEnvironment): boolean => handlesSince(env, '1.34')

function createWhileGoing(served: ServedResource): StatusError {
  const { group, resource } = groupResourceOf(served)
  return failure(405, 'MethodNotAllowed', NO_CREATES, {
    ...(group !== '' && { group }),
    kind: resource,
  })
}
