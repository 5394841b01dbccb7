import type Koa from 'koa'
import { forbidden } from '../../auth/authz/forbidden.ts'
import { serveResource } from '../../endpoints/dispatch.ts'
import { withDeprecationWarnings } from '../../endpoints/filters/deprecation-warnings.ts'
import { withNegotiation } from '../../endpoints/filters/response-form.ts'
import { invariant } from '../../lib/invariant.ts'
import { type Authorizer, isMaster } from '../../meta/authorizer.ts'
import { nonResourceAttributes } from '../../meta/request-attributes.ts'
import { failure, type StatusError, serviceUnavailableError, unauthorizedError } from '../../meta/status.ts'
import { withAuthorization } from '../filters/authorization.ts'
import type { Filter, RequestState } from '../filters/filter.ts'
import { withImpersonation } from '../filters/impersonation.ts'
import { withLongRunning } from '../filters/long-running.ts'
import { withoutConnections } from '../filters/without-connections.ts'
import { withoutWritesTo } from '../filters/without-writes.ts'
import { type Layer, limited, received } from '../handler-chain.ts'
import { Health } from '../health.ts'
import { type ExchangeHost, HttpExchange } from '../http/http-exchange.ts'
import type { AuthMetrics } from '../metrics/auth-metrics.ts'
import { serverEndpoints } from '../server-endpoints.ts'
import type { ChainOptions } from '../server-options.ts'
import { type Mount, mountOf, urlBelow } from './mount-path.ts'
import type { MountedPlane, Mounts } from './mounts.ts'

/** Values that the filters of a mounted chain pass on to later ones. */
interface MountState extends RequestState {
  mount?: Mount
  /** Whether only the mount's plane authenticated the user. */
  isLocal?: boolean
}

/**
 * Returns the filters of a request below a mount: those of this server up to authentication and flow control, then the
 * authorizer and the API of the plane. A plane is only opened for users who may use it, and within the limits of this
 * server.
 */
export function mountedChain(options: ChainOptions, mounts: Mounts): readonly Layer[] {
  const { authMetrics, access, observability, exchange } = options
  const alone = { ...options, console: undefined, observability: { ...observability, recent: undefined } }
  return [
    // The console and the records of recent requests belong to this server only.
    ...received(alone, withMountedExchange(exchange), withMountAuthentication(options, mounts)),
    withMountNote,
    limited(options),
    withMountGate(access.authorizer),
    withPlane(options, mounts, authMetrics),
  ]
}

const withMountedExchange =
  (host: ExchangeHost): Filter =>
  (ctx, next) => {
    const state: MountState = ctx.state
    const url = ctx.req.url ?? '/'
    const mount = mountOf(url)
    invariant(mount, 'the request is for a mount')
    state.mount = mount
    state.exchange = new HttpExchange(host, ctx.req, ctx.res, urlBelow(mount, url))
    return next()
  }

/** Authenticates the request by this server or the plane. Throws 401 if neither accepts its credentials. */
function withMountAuthentication({ trusted, authMetrics }: ChainOptions, mounts: Mounts): Filter {
  return async (ctx, next) => {
    const state: MountState = ctx.state
    const { exchange, mount } = state
    invariant(mount, 'the request is for a mount')
    if (trusted) exchange.user = trusted
    else {
      const begun = performance.now()
      const credentials = {
        headers: exchange.headers,
        socket: exchange.req.socket,
        path: mount.path,
        request: exchange.req,
        warned: exchange,
      }
      const { identity, isLocal } = await mounts.authenticate(mount, credentials)
      authMetrics.authenticated(identity, begun)
      if (identity === undefined || identity === 'rejected') throw unauthorizedError()
      exchange.user = identity
      state.isLocal = isLocal
    }
    return next()
  }
}

/** Annotates the audit event with the mount, before the request can be refused. */
const withMountNote: Filter = (ctx, next) => {
  const { exchange, mount }: MountState = ctx.state
  if (mount) exchange.audit?.annotate('binnacle.dev/mount', mount.path)
  return next()
}

/**
 * Authorizes users of this server to use the mount: they need `get` on its path. Throws 403. Users that only the plane
 * knows pass.
 */
const withMountGate =
  (authorizer: Authorizer): Filter =>
  async (ctx, next) => {
    const { exchange, mount, isLocal }: MountState = ctx.state
    invariant(mount, 'the request is for a mount')
    if (!isLocal && !isMaster(exchange.user)) {
      const asked = nonResourceAttributes('get', mount.path)
      const { decision, reason } = await authorizer.authorize(exchange.user, asked, exchange.signal)
      if (decision !== 'allow') throw forbidden(exchange.user, asked, reason)
    }
    return next()
  }

/** Runs the filters of the plane, which stays open until the request is over. */
function withPlane(options: ChainOptions, mounts: Mounts, authMetrics: AuthMetrics): Layer {
  const chains = new WeakMap<MountedPlane, readonly Layer[]>()
  const ownEndpoints = serverEndpoints({ health: healthOf(options), version: options.endpoints.version })
  const chainOf = (plane: MountedPlane): readonly Layer[] => {
    const chain = chains.get(plane) ?? planeChain(plane, options, { ownEndpoints, authMetrics })
    chains.set(plane, chain)
    return chain
  }
  return async (ctx: Koa.ParameterizedContext<RequestState>, next: Koa.Next) => {
    const { exchange, mount }: MountState = ctx.state
    invariant(mount, 'the request is for a mount')
    const { plane, release } = await mounts.hold(mount, {
      isLongRunning: exchange.longRunning,
      signal: exchange.signal,
      end: () => exchange.abort(serviceUnavailableError(`${mount.path} is closed`)),
    })
    try {
      await through(chainOf(plane), ctx, next)
    } finally {
      release()
    }
  }
}

interface PlaneParts {
  readonly ownEndpoints: Layer
  readonly authMetrics: AuthMetrics
}

/** Returns the filters of a plane, in the order of `handlerChain`. A past revision is read-only. */
const planeChain = (
  { api, authorizer, isReadOnly }: MountedPlane,
  options: ChainOptions,
  { ownEndpoints, authMetrics }: PlaneParts,
): readonly Layer[] => [
  ...(isReadOnly ? [withoutWritesTo('a moment of the past is read-only')] : []),
  withImpersonation(authorizer, options.access.impersonation),
  withAuthorization(authorizer, authMetrics),
  withLongRunning(options.requests, options.metrics),
  ...(api.withAggregation ? [api.withAggregation] : []),
  ownEndpoints,
  api.withDiscovery,
  api.withScope,
  withoutConnections(unreached),
  withDeprecationWarnings,
  withNegotiation,
  serveResource,
]

/** Health of a mounted plane. It is not probed separately: a plane that is open is healthy. */
function healthOf({ log }: ChainOptions): Health {
  const health = new Health(log)
  health.add({ name: 'ping', check: () => {} })
  return health
}

/**
 * Error for subresources that connect to nodes, pods and services, which only belong to this server's present state.
 */
const unreached = (): StatusError => failure(405, 'MethodNotAllowed', 'moments and branches reach no nodes, pods or services', {})

function through(layers: readonly Layer[], ctx: Koa.ParameterizedContext<RequestState>, next: Koa.Next): Promise<void> {
  const from = (index: number): Promise<void> => {
    const layer = layers[index] as Koa.Middleware<RequestState> | undefined
    return layer === undefined ? next() : layer(ctx as Parameters<typeof layer>[0], () => from(index + 1))
  }
  return from(0)
}
