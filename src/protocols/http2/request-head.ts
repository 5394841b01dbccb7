import type { IncomingHttpHeaders } from 'node:http'
import { areFields, isPseudo } from './field-checks.ts'

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
/** A method is a token, as over HTTP/1.1 (RFC 9110, section 9.1). */
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Reads the head of a request. Undefined if the fields are not those of a request (RFC 9113, section 8.3.1). */
export const readHead = (fields: string[]): RequestHead | undefined => (areFields(fields) ? headOf(fields) : undefined)

/** The same for fields of which each is known to be one (`isField`). */
export function headOf(fields: string[]): RequestHead | undefined {
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
    // Kept as it came only: to an object that name means something else.
    if (name === '__proto__') continue
    const had = Object.hasOwn(headers, name) ? headers[name] : undefined
    // Others to whom the fields are passed on may go by the other one.
    if (had !== undefined && name === 'content-length') return undefined
    headers[name] = had === undefined ? value : joined(name, had, value)
  }
  if (method === undefined || !METHOD.test(method)) return undefined
  const connects = method === 'CONNECT'
  if (connects ? path !== undefined || scheme !== undefined || authority === undefined : !isScheme(scheme) || !isPath(path, method)) return undefined
  const length = headers['content-length']
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return undefined
  return { method, url: path ?? '/', headers, rawHeaders: fields, length: length === undefined ? undefined : Number(length) }
}

/** Whether such fields may follow a body. */
export function areTrailers(fields: readonly string[]): boolean {
  for (let i = 0; i < fields.length; i += 2) if (isPseudo(fields[i] ?? '')) return false
  return true
}

/** Go refuses any other with the same error of the stream. */
const isScheme = (scheme: string | undefined): boolean => scheme === 'https' || scheme === 'http'

const isPath = (path: string | undefined, method: string): boolean => path !== undefined && (path.startsWith('/') || (path === '*' && method === 'OPTIONS'))

function joined(name: string, had: string, value: string): string {
  if (SINGLE.has(name)) return had
  return name === 'cookie' ? `${had}; ${value}` : `${had}, ${value}`
}
