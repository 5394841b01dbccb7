import type { Catalog, CatalogSnapshot } from '../../catalog/catalog.ts'
import type { Exchange } from '../exchange.ts'
import { notServed } from '../not-found.ts'
import type { ApiFilter } from './filter.ts'

/** Documents that are derived from the catalog. */
interface Documents {
  /** Serves the request. Returns false if the path does not belong to the documents. */
  serve(exchange: Exchange, snapshot: CatalogSnapshot): Promise<boolean>
}

/** Serves discovery and OpenAPI. Throws 404 for any other non-resource request. */
export const withDiscovery =
  (catalog: Pick<Catalog, 'snapshot'>, discovery: Documents, openApi: Documents): ApiFilter =>
  ({ state: { exchange } }, next) =>
    exchange.info.isResource ? next() : serve(exchange, catalog.snapshot(), [discovery, openApi])

/** Serves the request by the first handler of the path. */
async function serve(exchange: Exchange, snapshot: CatalogSnapshot, documents: readonly Documents[]): Promise<void> {
  for (const each of documents) if (await each.serve(exchange, snapshot)) return
  throw notServed(exchange.path, snapshot)
}
