import type { Api } from '../../endpoints/api.ts'
import type { ServedConsole } from '../console/served-console.ts'
import type { Filter } from './filter.ts'
import { notOnConsole } from './without-connections.ts'

/**
 * Headers of everything except the console's files: opened as a document it runs nothing, and no cache returns it to a
 * request without a session.
 */
const DATA_HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', "sandbox; default-src 'none'; frame-ancestors 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Cache-Control', 'no-store'],
]

/**
 * Serves the console's page without authentication. All other paths on its port are data for that page. Runs before
 * authentication.
 */
export const withConsole =
  (console: Pick<ServedConsole, 'serves' | 'serve'>): Filter =>
  ({ state: { exchange } }, next) => {
    if (console.serves(exchange.path)) return console.serve(exchange)
    for (const [name, value] of DATA_HEADERS) exchange.setHeader(name, value)
    return next()
  }

/** Throws 403 for paths of aggregated servers, which must not share the console's origin. */
export const withoutAggregation =
  ({ passesOn }: Pick<Api, 'passesOn'>): Filter =>
  ({ state: { exchange } }, next) => {
    if (passesOn?.(exchange.path) || exchange.path.startsWith('/openapi/')) throw notOnConsole()
    return next()
  }
