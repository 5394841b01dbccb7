import Koa from 'koa'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import type { RequestState } from './filters/filter.ts'
import type { Layer } from './handler-chain.ts'
import type { AnyRequest, AnyResponse } from './http/any-http.ts'

/**
 * Koa application without the `on-finished` listener. Koa's own `handleRequest` adds one to each response, and its
 * asynchronous context costs as much as the rest of Koa. It is not needed: the chain responds to every failure, and
 * nothing runs after the chain.
 */
class App extends Koa<RequestState> {
  handleRequest(
    ctx: Koa.ParameterizedContext<RequestState>,
    run: (ctx: Koa.ParameterizedContext<RequestState>) => Promise<unknown>,
  ): Promise<unknown> {
    return run(ctx).catch((error: unknown) => this.emit('error', error, ctx))
  }
}

/**
 * Returns a Koa application that serves requests by a handler chain. Its promise resolves when the request is over, and
 * never rejects.
 */
export function createApp(chain: readonly Layer[], log: Logger): (req: AnyRequest, res: AnyResponse) => Promise<void> {
  const app = new App()
  app.silent = true
  app.on('error', (error: unknown) => log.debug(4, 'connection failed', { error: errorMessage(error) }))
  for (const layer of chain) app.use(layer as Koa.Middleware<RequestState>)
  return app.callback() as ReturnType<typeof createApp>
}
