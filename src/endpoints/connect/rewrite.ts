import { escapePath, joinPaths, parseUrl, printUrl, unescapePath } from '../../lib/url.ts'

/** Where a page stands: what is before its path for the client, and whom it may mean by itself. */
export interface ProxyPlace {
  /** The path of the proxy, without the part that is the page's own. */
  readonly prefix: string
  /** Host and port of who gave the page. */
  readonly origin: string
  /** Host that the client asked. */
  readonly asked: string
}

/**
 * A link of a page behind a proxy as the client must follow it: absolute paths on the page's own host get the proxy's path in front. Everything else stays: links that are
 * relative, to other hosts, or that have the path already.
 */
export function rewriteUrl(link: string, { prefix, origin, asked }: ProxyPlace): string {
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
