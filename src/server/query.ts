import { MAX_QUERY_PARAMETERS } from './limits.ts'

/** A pair with a broken percent escape, or with a semicolon. */
const DROPPED = /;|%(?![0-9a-fA-F]{2})/

/** The parameters of a query as Go's net/url reads them: what is malformed is left out, pair by pair. */
export function parseQuery(search: string): URLSearchParams {
  if (!DROPPED.test(search)) return new URLSearchParams(search)
  return new URLSearchParams(
    search
      .split('&')
      .filter(pair => !DROPPED.test(pair))
      .join('&'),
  )
}

/** Whether a query has more parameters than are read. */
export function hasTooManyParameters(search: string): boolean {
  if (search.length < MAX_QUERY_PARAMETERS) return false
  let count = 1
  for (let at = search.indexOf('&'); at >= 0 && count <= MAX_QUERY_PARAMETERS; at = search.indexOf('&', at + 1)) count++
  return count > MAX_QUERY_PARAMETERS
}
