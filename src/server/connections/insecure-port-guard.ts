import { forbiddenError } from '../../meta/status.ts'
import type { AnyRequest } from '../http/any-http.ts'

/** Host names under which a local client reaches loopback. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i
/** Sec-Fetch-Site values of a request that the user typed in, and of one by a page of this same port. */
const OWN_SITES: ReadonlySet<string> = new Set(['none', 'same-origin'])

/**
 * Returns why the insecure port refuses a request, or undefined if it serves it. A page of another site must not act
 * here through a browser of this machine. Such a request carries an Origin header, or without one (a link, an image)
 * Sec-Fetch-Site (https://www.w3.org/TR/fetch-metadata/), or a host name that was made to resolve to loopback (DNS
 * rebinding). Other programs send none of these.
 */
export function portRefusal({ headers, rawHeaders, url = '/' }: Pick<AnyRequest, 'headers' | 'rawHeaders' | 'url'>): string | undefined {
  if (headers.origin !== undefined) return 'the insecure port serves no web pages'
  const site = headers['sec-fetch-site']
  if (site !== undefined && !(typeof site === 'string' && OWN_SITES.has(site))) return 'the insecure port serves no web pages'
  // Node keeps only the first Host header. A proxy in front of the server may have used another one.
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() === 'host' && !LOOPBACK_HOST.test(rawHeaders[i + 1] ?? ''))
      return 'the insecure port serves loopback names only'
  // An absolute target, `GET http://host/path`, takes precedence over the Host header (RFC 9112, section 3.2.2).
  if (!url.startsWith('/') && url !== '*') return 'the insecure port serves paths only'
  return undefined
}

/** Returns the Status of the refusal. */
export const refusalStatus = (why: string) => forbiddenError({ group: '', resource: '' }, '', why).status
