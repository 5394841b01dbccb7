import type { IncomingHttpHeaders } from 'node:http'

/** What a request says of itself before its body. */
export interface RequestHead {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Names and values as they came, in turn. */
  readonly rawHeaders: string[]
  /** Bytes of the body, where the head says how many. */
  readonly length: number | undefined
}

/** Headers of which the first one counts, as Node has it over HTTP/1.1. */
const SINGLE = new Set(
  (
    'authorization content-length content-type from host if-modified-since if-unmodified-since max-forwards proxy-authorization range referer user-agent age date etag expires last-modified ' +
    'location retry-after server'
  ).split(' '),
)
/** They speak of a connection, of which HTTP/2 knows only one kind (RFC 9113, section 8.2.2). */
const OF_CONNECTION = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
/**
 * Without blanks at either end. Of control characters no more than the tab, as over HTTP/1.1: what has one may mean something to a terminal, or to whom it is passed on. Written for speed: one
 * look at each character.
 */
const VALID_VALUE = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/

/** Undefined where the fields are no request (section 8.3.1). */
export function readHead(fields: string[]): RequestHead | undefined {
  let method: string | undefined
  let path: string | undefined
  let scheme: string | undefined
  let authority: string | undefined
  const headers: Record<string, string> = {}
  let i = 0
  for (; fields[i]?.startsWith(':'); i += 2) {
    const value = fields[i + 1] ?? ''
    if (!VALID_VALUE.test(value)) return undefined
    switch (fields[i]) {
      case ':method':
        if (method !== undefined) return undefined
        method = value
        break
      case ':path':
        if (path !== undefined) return undefined
        path = value
        break
      case ':scheme':
        if (scheme !== undefined) return undefined
        scheme = value
        break
      case ':authority':
        if (authority !== undefined) return undefined
        authority = value
        headers[':authority'] = value
        break
      default:
        return undefined
    }
  }
  for (; i < fields.length; i += 2) {
    const name = fields[i] ?? ''
    const value = fields[i + 1] ?? ''
    if (!isField(name, value)) return undefined
    // Kept as it came only: to an object that name means something else.
    if (name === '__proto__') continue
    const had = Object.hasOwn(headers, name) ? headers[name] : undefined
    // Others to whom the fields are passed on may go by the other one.
    if (had !== undefined && name === 'content-length') return undefined
    headers[name] = had === undefined ? value : joined(name, had, value)
  }
  if (method === undefined || method === '') return undefined
  const connects = method === 'CONNECT'
  if (connects ? path !== undefined || scheme !== undefined || authority === undefined : scheme === undefined || !isPath(path, method)) return undefined
  const length = headers['content-length']
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return undefined
  return { method, url: path ?? '/', headers, rawHeaders: fields, length: length === undefined ? undefined : Number(length) }
}

/** Whether the fields may follow a body. */
export function areTrailers(fields: readonly string[]): boolean {
  for (let i = 0; i < fields.length; i += 2) if (!isField(fields[i] ?? '', fields[i + 1] ?? '')) return false
  return true
}

const isPath = (path: string | undefined, method: string): boolean => path !== undefined && (path.startsWith('/') || (path === '*' && method === 'OPTIONS'))

function isField(name: string, value: string): boolean {
  if (!NAME.test(name) || !VALID_VALUE.test(value) || OF_CONNECTION.has(name)) return false
  return name !== 'te' || value === 'trailers'
}

function joined(name: string, had: string, value: string): string {
  if (SINGLE.has(name)) return had
  return name === 'cookie' ? `${had}; ${value}` : `${had}, ${value}`
}
