import { METHODS } from 'node:http'
import { Router } from '@koa/router'
import type Koa from 'koa'
import { CONFIGURATION_PATH, type IssuerDocuments, KEY_SET_PATH } from '../auth/authn/service-account/discovery.ts'
import { routeAccepts, routeNotAcceptableText } from '../codec/accept-header.ts'
import type { Exchange } from '../endpoints/exchange.ts'
import type { OwnRoute } from '../endpoints/own-route.ts'
import type { ZPage } from '../endpoints/zpages/zpages.ts'
import { dumpPriorityLevels, dumpQueues, dumpRequests } from '../flow/dump.ts'
import type { FlowLimits } from '../flow/flow-limits.ts'
import type { FilledBody } from '../lib/filled-body.ts'
import { pageNotFound } from '../meta/plain-text-error.ts'
import { failure, methodNotAllowedError } from '../meta/status.ts'
import type { RequestState } from './filters/filter.ts'
import type { Health, HealthEndpoint, HealthReport } from './health.ts'
import type { VersionInfo } from './version.ts'

/** Services behind the server's own endpoints. */
export interface ServerEndpoints {
  readonly health: Health
  readonly version: VersionInfo
  readonly issuerDocuments?: () => Promise<IssuerDocuments | undefined>
  /** Omitted if priority and fairness is off. */
  readonly flowLimits?: FlowLimits | undefined
  /** Routes of this server only. Defaults to none. */
  readonly ownRoutes?: readonly OwnRoute[]
  /** Debugging pages that are on. Defaults to none. */
  readonly zpages?: readonly ZPage[]
  /** Returns the response to a scrape. Omitted if `/metrics` is not served. */
  exposition?(): Promise<Buffer | FilledBody>
}

/** Media types of the version, which is JSON only. */
const VERSION_TYPES = ['application/json']
const TEXT = 'text/plain; charset=utf-8'
const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const HEALTH: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz']

/**
 * Serves the non-resource endpoints: health, metrics, version, the token issuer's documents, and routes of the server's
 * services. Requests for resources skip the router.
 */
export function serverEndpoints(endpoints: ServerEndpoints): Koa.Middleware<RequestState> {
  const routes = routerOf(endpoints).routes() as Koa.Middleware<RequestState>
  return (ctx, next) => {
    const { info, path } = ctx.state.exchange
    if (info.isResource) return next()
    // The path that was authorized. The router must not parse the URL a second time.
    ctx.newRouterPath = path
    // The router's `all` covers the methods that Node knows, and over HTTP/2 a method may be any word. The exchange
    // keeps the original method.
    if (!METHODS.includes(ctx.method)) Object.defineProperty(ctx, 'method', { value: 'POST' })
    return routes(ctx, next)
  }
}

/** Returns the router of the endpoints. Paths are case-sensitive, and a trailing slash is significant. */
function routerOf({
  health,
  version,
  exposition,
  issuerDocuments,
  flowLimits,
  ownRoutes = [],
  zpages = [],
}: ServerEndpoints): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true })
  const versionBody = Buffer.from(JSON.stringify(version, undefined, 2))
  const document = (path: string, type: string, pick: (documents: IssuerDocuments) => Buffer): void => {
    router.get(path, async (ctx, next) => {
      const documents = await issuerDocuments?.()
      if (documents === undefined) return next()
      const exchange = ctx.state.exchange
      exchange.setHeader('Cache-Control', `public, max-age=${documents.maxAgeSeconds}`)
      return exchange.sendBytes(200, type, pick(documents))
    })
  }
  document(CONFIGURATION_PATH, 'application/json', ({ configuration }) => configuration)
  document(KEY_SET_PATH, 'application/jwk-set+json', ({ keySet }) => keySet)
  for (const endpoint of HEALTH) {
    router.all(`/${endpoint}`, async ({ state: { exchange } }) => sendReport(exchange, await health.report(endpoint, exchange.query)))
    router.all(`/${endpoint}/*check`, async ({ state: { exchange } }) => {
      const report = await health.reportOne(endpoint, exchange.path.slice(endpoint.length + 2))
      if (report === undefined) throw pageNotFound()
      // Upstream writes the result of a single check without the header `X-Content-Type-Options`.
      return report.status === 200 ? exchange.sendBytes(200, TEXT, Buffer.from(report.text)) : sendReport(exchange, report)
    })
  }
  router.all(['/version', '/version/'], async ({ state: { exchange } }) => {
    if (exchange.method !== 'GET') throw methodNotAllowedError()
    if (!routeAccepts(exchange.headers.accept, VERSION_TYPES))
      throw failure(406, 'NotAcceptable', routeNotAcceptableText(VERSION_TYPES), {})
    await exchange.sendBytes(200, 'application/json', versionBody)
  })
  if (exposition) router.all('/metrics', async ({ state: { exchange } }) => exchange.sendBytes(200, EXPOSITION_TYPE, await exposition()))
  if (flowLimits) addFlowDumps(router, flowLimits)
  for (const { path, serve } of zpages) router.all(path, ({ state: { exchange } }) => serve(exchange))
  for (const route of ownRoutes) addOwnRoute(router, route)
  return router
}

function addOwnRoute(router: Router<RequestState>, { path, methods, handle }: OwnRoute): void {
  router.all(path.endsWith('/') ? [path, `${path}*rest`] : path, ({ state: { exchange } }) => {
    if (!methods.includes(exchange.method)) throw methodNotAllowedError()
    return handle(exchange)
  })
}

function addFlowDumps(router: Router<RequestState>, { flows, clock }: FlowLimits): void {
  const dump = (name: string, print: (exchange: Exchange) => string): void => {
    router.all(`/debug/api_priority_and_fairness/${name}`, ({ state: { exchange } }) =>
      exchange.sendBytes(200, TEXT, Buffer.from(print(exchange))),
    )
  }
  dump('dump_priority_levels', () => dumpPriorityLevels(flows))
  dump('dump_queues', () => dumpQueues(flows))
  dump('dump_requests', ({ query }) =>
    dumpRequests(flows, { details: (query.get('includeRequestDetails') ?? '') !== '', epoch: Date.now() - clock.now() }),
  )
}

function sendReport(exchange: Exchange, { status, text }: HealthReport): Promise<void> {
  exchange.setHeader('X-Content-Type-Options', 'nosniff')
  return exchange.sendBytes(status, TEXT, Buffer.from(text))
}
