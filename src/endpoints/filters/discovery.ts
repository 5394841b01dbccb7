import type { Catalog, CatalogSnapshot } from '../../catalog/catalog.ts'
import type { Exchange } from '../exchange.ts'
import { notServed } from '../not-found.ts'
import type { ApiFilter } from './filter.ts'

/** Views of the catalog. */
interface Documents {
  /** False where the path is none of theirs. */
  serve(exchange: Exchange, snapshot: CatalogSnapshot): Promise<boolean>
}

/** Serves what is no resource: discovery and OpenAPI. Throws 404 for what is neither. */
export const withDiscovery =
  (catalog: Pick<Catalog, 'snapshot'>, discovery: Documents, openApi: Documents): ApiFilter =>
  ({ state: { exchange } }, next) =>
    exchange.info.isResource ? next() : serve(exchange, catalog.snapshot(), [discovery, openApi])

/** By the first that knows the path. */
async function serve(exchange: Exchange, snapshot: CatalogSnapshot, documents: readonly Documents[]): Promise<void> {
  for (const each of documents) if (await each.serve(exchange, snapshot)) return
  throw notServed(exchange.path, snapshot)
}
