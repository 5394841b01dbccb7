import type { Filter } from './filter.ts'

/** Makes browsers use HTTPS only (RFC 6797). `directives`: of the header. */
export function withHsts(directives: readonly string[]): Filter {
  const value = directives.join('; ')
  return ({ state: { exchange } }, next) => {
    exchange.setHeader('Strict-Transport-Security', value)
    return next()
  }
}
