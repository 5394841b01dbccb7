import { forbiddenError } from '../meta/status.ts'
import type { AnyRequest } from './any-http.ts'

/** Hosts by which a client of this machine reaches loopback. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i
/** What a browser says of a request that its user typed in, or that a page of this very port makes. */
const OWN_SITES: ReadonlySet<string> = new Set(['none', 'same-origin'])

/**
 * Why the port that asks for no credentials does not serve a request; undefined where it does. A page of another site must not make a browser of this machine act here: such a request
 * carries an Origin, or without one (a link, an image) its Sec-Fetch-Site (https://www.w3.org/TR/fetch-metadata/), or the name of a host that was made to point here. Programs send
 * none of these.
 */
export function refusalOf({ headers, rawHeaders, url = '/' }: Pick<AnyRequest, 'headers' | 'rawHeaders' | 'url'>): string | undefined {
  if (headers.origin !== undefined) return 'the insecure port serves no web pages'
  const site = headers['sec-fetch-site']
  if (site !== undefined && !(typeof site === 'string' && OWN_SITES.has(site))) return 'the insecure port serves no web pages'
  // Node keeps the first Host alone; whoever stands before the server may have gone by another.
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() === 'host' && !LOOPBACK_HOST.test(rawHeaders[i + 1] ?? '')) return 'the insecure port serves loopback names only'
  // `GET http://host/path` counts for more than a Host header (RFC 9112, 3.2.2).
  if (!url.startsWith('/') && url !== '*') return 'the insecure port serves paths only'
  return undefined
}

/** The Status of the refusal. */
export const refusalStatus = (why: string) => forbiddenError({ group: '', resource: '' }, '', why).status
