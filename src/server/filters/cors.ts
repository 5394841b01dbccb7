import { compileRegExp, type LinearRegExp } from '../../lib/linear-regexp.ts'
import type { Filter } from './filter.ts'

const METHODS = 'POST, GET, OPTIONS, PUT, DELETE, PATCH'
const HEADERS = 'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since'
const EXPOSED = 'Date'
/** Longer origins are not matched, and so not allowed. A browser's origin has some hundred characters. */
const LONGEST_ORIGIN = 4096

/**
 * Lets pages of some origins read responses (https://fetch.spec.whatwg.org/#http-cors-protocol), and responds to their
 * preflight requests, which carry no credentials. `origins`: regular expressions.
 */
export function withCors(origins: readonly string[]): Filter {
  const allowed = origins.map(patternOf)
  return ({ state: { exchange } }, next) => {
    const { origin } = exchange.headers
    if (origin === undefined || origin === '' || origin.length > LONGEST_ORIGIN || !allowed.some(pattern => pattern.foundIn(origin)))
      return next()
    exchange.setHeader('Access-Control-Allow-Origin', origin)
    exchange.setHeader('Access-Control-Allow-Methods', METHODS)
    exchange.setHeader('Access-Control-Allow-Headers', HEADERS)
    exchange.setHeader('Access-Control-Expose-Headers', EXPOSED)
    exchange.setHeader('Access-Control-Allow-Credentials', 'true')
    return exchange.method === 'OPTIONS' ? exchange.sendEmpty(204) : next()
  }
}

function patternOf(expression: string): LinearRegExp {
  const compiled = compileRegExp(expression)
  if ('fault' in compiled) throw new Error(`${expression} is not a valid regular expression: ${compiled.fault}`)
  return compiled
}
