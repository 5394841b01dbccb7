import type { CatalogSnapshot } from '../catalog/catalog.ts'
import type { Discovery } from './discovery/discovery.ts'
import { dispatch } from './dispatch.ts'
import type { Exchange, Handler } from './exchange.ts'
import { notServed } from './not-found.ts'
import type { OpenApiEndpoint } from './openapi/endpoint.ts'
import { resolve } from './resolve.ts'
import type { EndpointEnvironment } from './scope.ts'

/** The kinds at this moment, or once the one that is asked for is served, where its definition is established. */
async function snapshotFor({ catalog, awaitKind }: EndpointEnvironment, { ctx, info }: Exchange): Promise<CatalogSnapshot> {
  const snapshot = catalog.snapshot()
  if (!awaitKind || !info.isResource || snapshot.definition(info.group, info.resource) !== undefined) return snapshot
  await awaitKind(info.group, info.resource, ctx.signal)
  return catalog.snapshot()
}

/** Serves everything below /api, /apis and /openapi. */
export function createApi(env: EndpointEnvironment, discovery: Discovery, openApi: OpenApiEndpoint): Handler {
  return async exchange => {
    const { info } = exchange
    const snapshot = await snapshotFor(env, exchange)
    if (info.isResource) return dispatch(resolve(exchange, info, env, snapshot))
    if (await discovery.serve(exchange, snapshot)) return
    if (await openApi.serve(exchange, snapshot)) return
    throw notServed(exchange.path, snapshot)
  }
}
