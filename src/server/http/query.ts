import { MAX_QUERY_PARAMETERS } from '../limits.ts'

/** A pair with an invalid percent escape or a semicolon. */
const DROPPED = /;|%(?![0-9a-fA-F]{2})/

/** Parses a query as Go's net/url does: malformed pairs are dropped, the others are kept. */
export function parseQuery(search: string): URLSearchParams {
  if (!DROPPED.test(search)) return new URLSearchParams(search)
  return new URLSearchParams(
    search
      .split('&')
      .filter(pair => !DROPPED.test(pair))
      .join('&'),
  )
}

/** Reports whether a query has more than MAX_QUERY_PARAMETERS parameters. */
export function hasTooManyParameters(search: string): boolean {
  if (search.length < MAX_QUERY_PARAMETERS) return false
  let count = 1
  for (let at = search.indexOf('&'); at >= 0 && count <= MAX_QUERY_PARAMETERS; at = search.indexOf('&', at + 1)) count++
  return count > MAX_QUERY_PARAMETERS
}
