import { escapePath, joinPaths, parseUrl, printUrl, unescapePath } from '../../lib/url.ts'

/** Location of a proxied page. */
export interface ProxyLocation {
  /** Path of the proxy, without the page's own path. */
  readonly prefix: string
  /** Host and port of the backend. */
  readonly origin: string
  /** Host in the client's request. */
  readonly asked: string
}

/**
 * Rewrites a link of a proxied page for the client: absolute paths on the page's own host are prefixed with the proxy's
 * path. Other links are unchanged: relative ones, those to other hosts, and those that have the prefix already.
 */
export function rewriteUrl(link: string, { prefix, origin, asked }: ProxyLocation): string {
  const url = parseUrl(link)
  if (!url?.path.startsWith('/')) return link
  const host = url.host ?? ''
  if (host !== '' && host !== origin && host !== asked) return link
  const path = unescapePath(url.path)
  if (path === undefined) return link
  const keepsHost = host !== '' && host === asked
  const placed = keepsHost ? url : { ...url, scheme: undefined, host: undefined }
  if (path.startsWith(prefix)) return printUrl(placed)
  const joined = joinPaths(prefix, path)
  return printUrl({ ...placed, path: escapePath(path.endsWith('/') ? `${joined}/` : joined) })
}
