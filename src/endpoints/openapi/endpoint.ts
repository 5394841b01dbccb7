import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import type { Exchange } from '../exchange.ts'

// Placeholder until OpenAPI lands.
export class OpenApiEndpoint {
  async serve(_exchange: Exchange, _snapshot: CatalogSnapshot): Promise<boolean> {
    return false
  }
}
