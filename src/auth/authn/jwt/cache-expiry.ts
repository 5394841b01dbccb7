import type { IncomingHttpHeaders } from 'node:http'

const DAY_MS = 86_400_000
const MAX_SECONDS = 2 ** 31

/**
 * Returns the time until which a response may be cached (RFC 9111), in milliseconds since the epoch, or 0 if no header
 * determines it. As the library of kube-apiserver: for a shared cache, regardless of whether the response may be
 * stored.
 */
export function cacheExpiry(headers: IncomingHttpHeaders, now: number): number {
  const directives = headers['cache-control'] ?? ''
  const seconds = secondsOf(directives, 's-maxage') ?? secondsOf(directives, 'max-age')
  if (seconds !== undefined) return now + seconds * 1000
  const expires = parseHeaderDate(headers.expires)
  if (expires !== undefined) return now + expires - (parseHeaderDate(headers.date) ?? now)
  const modified = parseHeaderDate(headers['last-modified'])
  return modified === undefined ? 0 : now + Math.min((now - modified) / 10, DAY_MS)
}

/** Value of a Cache-Control directive in seconds, quoted or not. */
function secondsOf(directives: string, name: string): number | undefined {
  for (const directive of directives.split(',')) {
    const [key = '', value = ''] = directive.split('=', 2)
    const digits = /^"?(\d+)"?$/.exec(value.trim())?.[1]
    if (key.trim().toLowerCase() === name && digits !== undefined) return Math.min(Number(digits), MAX_SECONDS)
  }
  return undefined
}

/** Undefined for invalid dates such as `0` and `-1`, which some servers send. */
function parseHeaderDate(header: string | undefined): number | undefined {
  const time = header?.includes(':') ? Date.parse(header) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}
