import type { Catalog, CatalogSnapshot } from '../../catalog/catalog.ts'
import type { Exchange } from '../exchange.ts'
import { notServed } from '../not-found.ts'
import { areKindsServed, type EndpointEnvironment } from '../scope.ts'
import type { ApiFilter } from './filter.ts'

/** Documents that are derived from the catalog. */
interface Documents {
  /** Serves the request. Returns false if the path does not belong to the documents. */
  serve(exchange: Exchange, snapshot: CatalogSnapshot): Promise<boolean>
}

/** Environment of discovery. */
interface DiscoveryEnvironment extends Pick<EndpointEnvironment, 'areKindsServed'> {
  readonly catalog: Pick<Catalog, 'snapshot'>
}

/**
 * Serves discovery and OpenAPI. Throws 404 for any other non-resource request, and 503 while the path may belong to a
 * kind that is not served yet.
 */
export const withDiscovery =
  (env: DiscoveryEnvironment, discovery: Documents, openApi: Documents): ApiFilter =>
  ({ state: { exchange } }, next) =>
    exchange.info.isResource ? next() : serve(exchange, env, [discovery, openApi])

/** Serves the request by the first handler of the path. */
async function serve(exchange: Exchange, env: DiscoveryEnvironment, documents: readonly Documents[]): Promise<void> {
  const snapshot = env.catalog.snapshot()
  for (const each of documents) if (await each.serve(exchange, snapshot)) return
  throw notServed(exchange.path, snapshot, areKindsServed(env))
}
