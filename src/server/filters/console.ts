import type { ServedConsole } from '../console/served-console.ts'
import type { Filter } from './filter.ts'

/** Serves the console's page, which asks for no credentials. Stands before CORS and authentication. */
export const withConsole =
  (console: Pick<ServedConsole, 'serves' | 'serve'>): Filter =>
  ({ state: { exchange } }, next) =>
    console.serves(exchange.path) ? console.serve(exchange) : next()
