import { type Api, createApi } from '../../src/endpoints/api.ts'
import { Discovery } from '../../src/endpoints/discovery/discovery.ts'
import { serveResource } from '../../src/endpoints/dispatch.ts'
import type { Exchange } from '../../src/endpoints/exchange.ts'
import { withDeprecationWarnings } from '../../src/endpoints/filters/deprecation-warnings.ts'
import type { ApiFilter, ApiState } from '../../src/endpoints/filters/filter.ts'
import { withNegotiation } from '../../src/endpoints/filters/response-form.ts'
import { OpenApiEndpoint } from '../../src/endpoints/openapi/endpoint.ts'
import type { EndpointEnvironment } from '../../src/endpoints/scope.ts'
import { WatchOutput } from '../../src/endpoints/watch-writing.ts'

/** Serves a request whole. */
export type Handler = (exchange: Exchange) => Promise<void>

/** An API whose discovery says nothing of the server. */
export const testApi = (env: Omit<EndpointEnvironment, 'watchOutput'>): Api =>
  createApi({ ...env, watchOutput: new WatchOutput() }, new Discovery(() => ''), new OpenApiEndpoint())

/** Returns the end of the handler chain, without authentication and authorization. */
export function apiHandler({ withDiscovery, withScope }: Api): Handler {
  const filters: readonly ApiFilter[] = [withDiscovery, withScope, withDeprecationWarnings, withNegotiation, serveResource]
  return async exchange => {
    const state: ApiState = { exchange }
    const from = async (i: number): Promise<void> => filters[i]?.({ state }, () => from(i + 1))
    await from(0)
  }
}

/** An API that a handler is in place of. */
export const handlerApi = (handler: Handler): Api => ({
  withDiscovery: ({ state }) => handler(state.exchange),
  withScope: (_ctx, next) => next(),
})
