import { Router } from '@koa/router'
import Koa from 'koa'
import { CONFIGURATION_PATH, type IssuerDocuments, KEY_SET_PATH } from '../auth/authn/service-account/discovery.ts'
import type { Exchange, Handler } from '../endpoints/exchange.ts'
import type { FilledBody } from '../lib/filled-body.ts'
import type { Logger } from '../lib/log.ts'
import type { User } from '../meta/context.ts'
import { pageNotFound } from '../meta/plain-text-error.ts'
import { methodNotAllowedError } from '../meta/status.ts'
import type { AnyRequest, AnyResponse } from './any-http.ts'
import type { Health, HealthEndpoint, HealthReport } from './health.ts'
import type { Pipeline } from './pipeline.ts'
import type { VersionInfo } from './version.ts'

export interface AppOptions {
  readonly pipeline: Pipeline
  /** Everything that this folder does not serve itself: resources, discovery, OpenAPI, and the 404 for what is none of them. */
  readonly handler: Handler
  readonly health: Health
  readonly version: VersionInfo
  readonly issuerDocuments?: () => Promise<IssuerDocuments | undefined>
  /** What a scrape gets. */
  exposition(): Promise<Buffer | FilledBody>
  readonly log: Logger
}

export type Listener = (req: AnyRequest, res: AnyResponse) => void

interface State {
  exchange: Exchange
}

/**
 * Koa's own `handleRequest` watches the end of every response by `on-finished`, whose asynchronous context costs as much as the rest of Koa. The pipeline answers
 * whatever fails, and nothing comes after it.
 */
class App extends Koa<State> {
  handleRequest(ctx: Koa.ParameterizedContext<State>, run: (ctx: Koa.ParameterizedContext<State>) => Promise<unknown>): Promise<unknown> {
    return run(ctx).catch((error: unknown) => this.emit('error', error, ctx))
  }
}

/**
 * The Koa application: one fused middleware in front, which serves all resources itself, and behind it a router for the few endpoints of the server's own. `trusted` is who
 * makes the requests of a listener that asks for no credentials.
 */
export function createApp(options: AppOptions): (trusted: User | undefined) => Listener {
  const { pipeline, handler } = options
  const router = ownEndpoints(options)
  const routes = router.routes()

  return trusted => {
    const app = new App()
    app.silent = true
    app.on('error', (error: unknown) => options.log.debug(4, 'connection failed', { error: error instanceof Error ? error.message : String(error) }))
    app.use((ctx, next) => {
      ctx.respond = false
      const serve: Handler = exchange => {
        if (exchange.info.isResource) return handler(exchange)
        ctx.state.exchange = exchange
        // The path that was authorized, and not what the router would read in the URL once more.
        ctx.newRouterPath = exchange.path
        return next()
      }
      return pipeline.serve(ctx.req as AnyRequest, ctx.res as AnyResponse, serve, trusted)
    })
    app.use(routes as Koa.Middleware<State>)
    app.use(ctx => handler(ctx.state.exchange))
    return app.callback() as Listener
  }
}

const TEXT = 'text/plain; charset=utf-8'
const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
const HEALTH: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz']

function ownEndpoints({ health, version, exposition, issuerDocuments }: AppOptions): Router<State> {
  const router = new Router<State>({ sensitive: true, strict: true })
  const versionBody = Buffer.from(JSON.stringify(version, undefined, 2))
  const answer = (exchange: Exchange, report: HealthReport): Promise<void> => {
    exchange.setHeader('X-Content-Type-Options', 'nosniff')
    return exchange.sendBytes(report.status, TEXT, Buffer.from(report.text))
  }
  const document = (path: string, type: string, pick: (documents: IssuerDocuments) => Buffer): void => {
    router.get(path, async (ctx, next) => {
      const documents = await issuerDocuments?.()
      if (documents === undefined) return next()
      const exchange = ctx.state.exchange
      exchange.setHeader('Cache-Control', 'public, max-age=3600')
      return exchange.sendBytes(200, type, pick(documents))
    })
  }
  document(CONFIGURATION_PATH, 'application/json', ({ configuration }) => configuration)
  document(KEY_SET_PATH, 'application/jwk-set+json', ({ keySet }) => keySet)
  for (const endpoint of HEALTH) {
    router.all(`/${endpoint}`, async ({ state: { exchange } }) => answer(exchange, await health.report(endpoint, exchange.query)))
    router.all(`/${endpoint}/:check`, async ({ state: { exchange } }) => {
      const report = await health.reportOne(endpoint, exchange.path.slice(endpoint.length + 2))
      if (report === undefined) throw pageNotFound()
      return answer(exchange, report)
    })
  }
  router.all(['/version', '/version/'], async ({ state: { exchange } }) => {
    if (exchange.method !== 'GET') throw methodNotAllowedError()
    await exchange.sendBytes(200, 'application/json', versionBody)
  })
  router.all('/metrics', async ({ state: { exchange } }) => exchange.sendBytes(200, EXPOSITION_TYPE, await exposition()))
  return router
}
