import type { Aggregator } from './aggregator.ts'
import type { Discovery } from './discovery/discovery.ts'
import { withAggregation } from './filters/aggregation.ts'
import { withDiscovery } from './filters/discovery.ts'
import type { ApiFilter } from './filters/filter.ts'
import { withScope } from './filters/scope.ts'
import type { OpenApiEndpoint } from './openapi/endpoint.ts'
import type { EndpointEnvironment } from './scope.ts'

/** What the handler chain of a server needs of the API. */
export interface Api {
  readonly withDiscovery: ApiFilter
  readonly withScope: ApiFilter
  /** Passes on what other servers serve; absent: nothing is. */
  readonly withAggregation?: ApiFilter
  /** Whether a request with such a path is passed on. */
  readonly passesOn?: (path: string) => boolean
}

/** The API of one server, as filters of its handler chain. `aggregator`: absent where nothing is passed on to other servers. */
export const createApi = (env: EndpointEnvironment, discovery: Discovery, openApi: OpenApiEndpoint, aggregator?: Aggregator): Api => ({
  withDiscovery: withDiscovery(env.catalog, discovery, openApi),
  withScope: withScope(env),
  ...(aggregator && { withAggregation: withAggregation(aggregator), passesOn: path => aggregator.passesOn(path) }),
})
