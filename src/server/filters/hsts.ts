import type { Filter } from './filter.ts'

/** Tells browsers to come by HTTPS alone (RFC 6797). `directives`: of the header. */
export function withHsts(directives: readonly string[]): Filter {
  const value = directives.join('; ')
  return ({ state: { exchange } }, next) => {
    exchange.setHeader('Strict-Transport-Security', value)
    return next()
  }
}
