import { invariant } from '../lib/invariant.ts'
import type { Discovery } from './discovery/discovery.ts'
import { dispatch } from './dispatch.ts'
import { withDiscovery } from './filters/discovery.ts'
import type { ApiFilter } from './filters/filter.ts'
import { withScope } from './filters/scope.ts'
import type { OpenApiEndpoint } from './openapi/endpoint.ts'
import type { EndpointEnvironment } from './scope.ts'

/** What the handler chain of a server needs of the API. */
export interface Api {
  readonly withDiscovery: ApiFilter
  readonly withScope: ApiFilter
}

export const createApi = (env: EndpointEnvironment, discovery: Discovery, openApi: OpenApiEndpoint): Api => ({
  withDiscovery: withDiscovery(env.catalog, discovery, openApi),
  withScope: withScope(env),
})

/** The end of the chain: does what the request was authorized for. */
export const serveResource: ApiFilter = ({ state: { scope, form } }) => {
  invariant(scope, 'the request has been resolved')
  return dispatch(scope, form)
}
