import type { Filter } from './filter.ts'

/** Makes browsers use HTTPS only (RFC 6797). `directives`: those of the header's value. */
export function withHsts(directives: readonly string[]): Filter {
  const value = directives.join('; ')
  return ({ state: { exchange } }, next) => {
    exchange.setHeader('Strict-Transport-Security', value)
    return next()
  }
}
