import type { IncomingHttpHeaders } from 'node:http'
import { areFields, isPseudo } from './field-checks.ts'

/** Method, URL and headers of a request. */
export interface RequestHead {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Alternating names and values as received. */
  readonly rawHeaders: string[]
  /** Value of `content-length`, if there is one. */
  readonly length: number | undefined
}

/** Headers of which only the first value counts, as in Node's HTTP/1.1. */
const SINGLE = new Set(
  (
    'authorization content-length content-type from host if-modified-since if-unmodified-since max-forwards proxy-authorization range referer user-agent age date etag expires last-modified ' +
    'location retry-after server'
  ).split(' '),
)
/** A method is a token, as in HTTP/1.1 (RFC 9110, section 9.1). */
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Reads the head of a request. Undefined if it is malformed (RFC 9113, section 8.3.1). */
export const readHead = (fields: string[]): RequestHead | undefined => (areFields(fields) ? parseRequestHead(fields) : undefined)

/** Reads the head of a request whose fields have been checked with `isField`. */
export function parseRequestHead(fields: string[]): RequestHead | undefined {
  let method: string | undefined
  let path: string | undefined
  let scheme: string | undefined
  let authority: string | undefined
  const headers: Record<string, string> = {}
  let i = 0
  for (; isPseudo(fields[i] ?? ''); i += 2) {
    const value = fields[i + 1] ?? ''
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
    if (isPseudo(name)) return undefined
    // Kept only in `rawHeaders`, because the name would set the prototype of the object.
    if (name === '__proto__') continue
    const had = Object.hasOwn(headers, name) ? headers[name] : undefined
    // A second length is malformed: programs behind this one might use the other value.
    if (had !== undefined && name === 'content-length') return undefined
    headers[name] = had === undefined ? value : joinField(name, had, value)
  }
  if (method === undefined || !METHOD.test(method)) return undefined
  const connects = method === 'CONNECT'
  if (connects ? path !== undefined || scheme !== undefined || authority === undefined : !isScheme(scheme) || !isPath(path, method))
    return undefined
  const length = headers['content-length']
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return undefined
  return { method, url: path ?? '/', headers, rawHeaders: fields, length: length === undefined ? undefined : Number(length) }
}

/** Reports whether fields are valid trailers. */
export function areTrailers(fields: readonly string[]): boolean {
  for (let i = 0; i < fields.length; i += 2) if (isPseudo(fields[i] ?? '')) return false
  return true
}

/** Go rejects any other scheme with the same stream error. */
const isScheme = (scheme: string | undefined): boolean => scheme === 'https' || scheme === 'http'

const isPath = (path: string | undefined, method: string): boolean =>
  path !== undefined && (path.startsWith('/') || (path === '*' && method === 'OPTIONS'))

function joinField(name: string, had: string, value: string): string {
  if (SINGLE.has(name)) return had
  return name === 'cookie' ? `${had}; ${value}` : `${had}, ${value}`
}
