import type { Exchange } from '../exchange.ts'
import type { ZPageSource } from './zpage-content.ts'
import { type ZPagePath, zpagePaths } from './zpage-paths.ts'

/** Route of a page. As in kube-apiserver, it serves every method. */
export interface ZPage {
  readonly path: ZPagePath
  /** Sends the page. Throws 406 if the client accepts no form of it. */
  serve(exchange: Exchange): Promise<void>
}

/** Returns the routes of the pages that are on. Their code is loaded by the first request. KEP-4827 and KEP-4828. */
export const zpages = (source: ZPageSource): ZPage[] =>
  zpagePaths(source.features).map(path => ({
    path,
    async serve(exchange) {
      const { serveZPage } = await import('./serve-zpage.ts')
      await serveZPage(path, source, exchange)
    },
  }))
