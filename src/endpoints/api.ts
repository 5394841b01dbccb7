import type { Aggregator } from './aggregator.ts'
import type { Discovery } from './discovery/discovery.ts'
import { withAggregation } from './filters/aggregation.ts'
import { withDiscovery } from './filters/discovery.ts'
import type { ApiFilter } from './filters/filter.ts'
import { withScope } from './filters/resolve-scope.ts'
import type { OpenApiEndpoint } from './openapi/endpoint.ts'
import type { EndpointEnvironment } from './scope.ts'

/** The API's filters in the handler chain of a server. */
export interface Api {
  readonly withDiscovery: ApiFilter
  readonly withScope: ApiFilter
  /** Optional. Proxies requests to aggregated servers. Omitted if aggregation is off. */
  readonly withAggregation?: ApiFilter
  /** Whether requests for a path are proxied. */
  readonly passesOn?: (path: string) => boolean
}

/** Returns the API of a server as filters of its handler chain. `aggregator`: omitted if aggregation is off. */
export const createApi = (env: EndpointEnvironment, discovery: Discovery, openApi: OpenApiEndpoint, aggregator?: Aggregator): Api => ({
  withDiscovery: withDiscovery(env, discovery, openApi),
  withScope: withScope(env),
  ...(aggregator && { withAggregation: withAggregation(aggregator), passesOn: path => aggregator.passesOn(path) }),
})
