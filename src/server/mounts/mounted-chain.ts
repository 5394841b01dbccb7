import type Koa from 'koa'
import { forbidden } from '../../auth/authz/forbidden.ts'
import { serveResource } from '../../endpoints/dispatch.ts'
import { withDeprecationWarnings } from '../../endpoints/filters/deprecation-warnings.ts'
import { withNegotiation } from '../../endpoints/filters/negotiation.ts'
import { invariant } from '../../lib/invariant.ts'
import { type Authorizer, isMaster } from '../../meta/authorizer.ts'
import { nonResourceAttributes } from '../../meta/request-attributes.ts'
import { failure, type StatusError, serviceUnavailableError, unauthorizedError } from '../../meta/status.ts'
import type { AuthMetrics } from '../auth-metrics.ts'
import { HttpExchange } from '../exchange.ts'
import { withAuthorization } from '../filters/authorization.ts'
import type { Filter, RequestState } from '../filters/filter.ts'
import { withImpersonation } from '../filters/impersonation.ts'
import { withLongRunning } from '../filters/long-running.ts'
import { withoutConnections } from '../filters/without-connections.ts'
import { withoutWritesTo } from '../filters/without-writes.ts'
import { type ChainOptions, type Layer, limited, received } from '../handler-chain.ts'
import { Health } from '../health.ts'
import { serverEndpoints } from '../server-endpoints.ts'
import { type Mount, mountOf, urlBelow } from './mount-path.ts'
import type { MountedPlane, Mounts } from './mounts.ts'

/** What the filters of a mounted chain hand to those behind them. */
interface MountState extends RequestState {
  mount?: Mount
  /** Whoever it is, only the mount knows. */
  isLocal?: boolean
}

/**
 * What a request below a mount goes through: everything that any request of this server does until it is known whose it is and has its turn, then what the plane has in place of this server's own authorizer and API.
 * Nothing is opened for who may not use it, or beyond the limits of this server.
 */
export function mountedChain(options: ChainOptions, mounts: Mounts): readonly Layer[] {
  const { authMetrics, authorizer } = options
  return [
    // The console's pages and users, and what is told of recent requests, are those of this server alone.
    ...received({ ...options, console: undefined, recent: undefined }, withMountedExchange(options), withMountAuthentication(options, mounts)),
    withMountNote,
    limited(options),
    withMountGate(authorizer),
    withPlane(options, mounts, authMetrics),
  ]
}

const withMountedExchange =
  (host: ChainOptions): Filter =>
  (ctx, next) => {
    const state: MountState = ctx.state
    const url = ctx.req.url ?? '/'
    const mount = mountOf(url)
    invariant(mount, 'the request is for a mount')
    state.mount = mount
    state.exchange = new HttpExchange(host, ctx.req, ctx.res, urlBelow(mount, url))
    return next()
  }

/** Throws 401 where nobody knows who makes the request. */
function withMountAuthentication({ trusted, authMetrics }: ChainOptions, mounts: Mounts): Filter {
  return async (ctx, next) => {
    const state: MountState = ctx.state
    const { exchange, mount } = state
    invariant(mount, 'the request is for a mount')
    if (trusted) exchange.user = trusted
    else {
      const begun = performance.now()
      const credentials = { headers: exchange.headers, socket: exchange.req.socket, path: mount.path, request: exchange.req, warned: exchange }
      const { identity, isLocal } = await mounts.authenticate(mount, credentials)
      authMetrics.authenticated(identity, begun)
      if (identity === undefined || identity === 'rejected') throw unauthorizedError()
      exchange.user = identity
      state.isLocal = isLocal
    }
    return next()
  }
}

/** Also where it gets no further: its audit tells what it is for. */
const withMountNote: Filter = (ctx, next) => {
  const { exchange, mount }: MountState = ctx.state
  if (mount) exchange.audit?.annotate('binnacle.dev/mount', mount.path)
  return next()
}

/** Whoever this server knows needs its leave to use a mount at all: to `get` its path. Throws 403. */
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

/** Goes through the layers of the plane. It stays open until the request is over. */
function withPlane(options: ChainOptions, mounts: Mounts, authMetrics: AuthMetrics): Layer {
  const chains = new WeakMap<MountedPlane, readonly Layer[]>()
  const ownEndpoints = serverEndpoints({ health: healthOf(options), version: options.version })
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

const planeChain = ({ api, authorizer, isReadOnly }: MountedPlane, options: ChainOptions, { ownEndpoints, authMetrics }: PlaneParts): readonly Layer[] => [
  ...(isReadOnly ? [withoutWritesTo('a moment of the past is read-only')] : []),
  withImpersonation(authorizer, options.impersonation),
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

/** The plane is not asked by who looks after it: that it is there says all. */
function healthOf({ log }: ChainOptions): Health {
  const health = new Health(log)
  health.add({ name: 'ping', check: () => {} })
  return health
}

/** Nodes, pods and services are those of the present, and of this server alone. */
const unreached = (): StatusError => failure(405, 'MethodNotAllowed', 'moments and branches reach no nodes, pods or services', {})

function through(layers: readonly Layer[], ctx: Koa.ParameterizedContext<RequestState>, next: Koa.Next): Promise<void> {
  const from = (index: number): Promise<void> => {
    const layer = layers[index] as Koa.Middleware<RequestState> | undefined
    return layer === undefined ? next() : layer(ctx as Parameters<typeof layer>[0], () => from(index + 1))
  }
  return from(0)
}
