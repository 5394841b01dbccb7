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
