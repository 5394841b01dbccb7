import { invariant } from '../../lib/invariant.ts'
import { resolve } from '../resolve.ts'
import type { EndpointEnvironment } from '../scope.ts'
import type { ApiFilter } from './filter.ts'

/**
 * Finds what the request is about among the kinds that are served at this moment. Waits for a kind whose definition is established, until it is served here. Throws 404, 405 and 400 for what no
 * route serves.
 */
export const withScope =
  (env: EndpointEnvironment): ApiFilter =>
  ({ state }, next) => {
    const { exchange } = state
    const { info, ctx } = exchange
    invariant(info.isResource, 'the request is for a resource')
    const snapshot = env.catalog.snapshot()
    const proceed = (kinds: typeof snapshot): Promise<void> => {
      state.scope = resolve(exchange, info, env, kinds)
      return next()
    }
    if (!env.awaitKind || snapshot.definition(info.group, info.resource) !== undefined) return proceed(snapshot)
    return env.awaitKind(info.group, info.resource, ctx.signal).then(() => proceed(env.catalog.snapshot()))
  }
