import Koa from 'koa'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import type { AnyRequest, AnyResponse } from './any-http.ts'
import type { RequestState } from './filters/filter.ts'
import type { Layer } from './handler-chain.ts'

/**
 * Koa's own `handleRequest` watches the end of every response by `on-finished`, whose asynchronous context costs as much as the rest of Koa. The chain answers whatever fails, and nothing
 * comes after it.
 */
class App extends Koa<RequestState> {
  handleRequest(ctx: Koa.ParameterizedContext<RequestState>, run: (ctx: Koa.ParameterizedContext<RequestState>) => Promise<unknown>): Promise<unknown> {
    return run(ctx).catch((error: unknown) => this.emit('error', error, ctx))
  }
}

/** Serves requests by a handler chain, as a Koa application. Resolves when a request is over; never rejects. */
export function createApp(chain: readonly Layer[], log: Logger): (req: AnyRequest, res: AnyResponse) => Promise<void> {
  const app = new App()
  app.silent = true
  app.on('error', (error: unknown) => log.debug(4, 'connection failed', { error: errorMessage(error) }))
  for (const layer of chain) app.use(layer as Koa.Middleware<RequestState>)
  return app.callback() as ReturnType<typeof createApp>
}
