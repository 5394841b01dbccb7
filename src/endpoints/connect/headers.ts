import { isTokenProtocol, protocolsOf } from '../../auth/authn/web-socket-token.ts'
import { fieldSpelling, isUserField } from '../../lib/field-spelling.ts'
import type { Header } from '../../lib/header.ts'
import { eachField } from '../../lib/raw-fields.ts'
import { splitAt } from '../../lib/split-text.ts'
import type { Exchange } from '../exchange.ts'

/** Headers of a single connection, which are not forwarded (RFC 9110, section 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Reports whether a header has credentials, or names the user of the request. Such headers are for this server only;
 * user headers come from the client or a front proxy.
 */
const isCredential = (name: string): boolean => {
  const spelling = fieldSpelling(name)
  return spelling === 'authorization' || IMPERSONATION.test(spelling) || name.startsWith('impersonate-') || isUserField(name)
}

const IMPERSONATION = /^impersonate(?:user|uid|group|extra)/

/**
 * Headers that this server sets for backends, by normalized spelling. Other spellings are dropped: a backend may treat
 * a client's `X_Forwarded_For` as X-Forwarded-For.
 */
const SET_HERE: ReadonlyMap<string, string> = new Map(
  ['host', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-uri', 'via', 'audit-id'].map(name => [
    fieldSpelling(name),
    name,
  ]),
)

const isOddSpelling = (name: string): boolean => (SET_HERE.get(fieldSpelling(name)) ?? name) !== name

/** Returns names and values in turn as pairs. */
export function pairsOf(raw: readonly string[]): Header[] {
  const pairs: Header[] = []
  eachField(raw, (name, value) => pairs.push([name, value]))
  return pairs
}

/**
 * Removes hop-by-hop headers, and those that the Connection header names. X-Forwarded-For stays: a client must not
 * remove the address that this server adds.
 */
export function endToEnd(headers: readonly Header[]): Header[] {
  const named = new Set<string>()
  for (const [name, value] of headers) {
    if (name.toLowerCase() === 'connection') for (const each of splitAt(value.toLowerCase(), ',')) named.add(each.trim())
  }
  named.delete('x-forwarded-for')
  return headers.filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()) && !named.has(name.toLowerCase()))
}

/**
 * Returns the headers of a request for another server: unchanged except for credentials and HTTP/2 pseudo-headers, with
 * the client's address added.
 */
export function forwardedHeaders(exchange: Exchange): Header[] {
  const out: Header[] = []
  const before: string[] = []
  let host: string | undefined
  for (const [name, value] of pairsOf(exchange.rawHeaders)) {
    const lower = name.toLowerCase()
    if (lower === 'x-forwarded-for') before.push(value)
    else if (lower === 'host' || lower === ':authority') host ??= value
    else if (lower === 'sec-websocket-protocol') {
      const left = protocolsOf(value).filter(each => !isTokenProtocol(each))
      if (left.length > 0) out.push([name, left.join(', ')])
    } else if (!lower.startsWith(':') && !isCredential(lower) && !isOddSpelling(lower)) out.push([name, value])
  }
  const via = [...before, ...(exchange.remoteAddress === '' ? [] : [exchange.remoteAddress])]
  return [
    ...(host === undefined ? [] : [['Host', host] as const]),
    ...out,
    ...(via.length === 0 ? [] : [['X-Forwarded-For', via.join(', ')] as const]),
  ]
}

/** Returns the first value of a header. Empty if it is absent. */
export const firstValue = (headers: readonly Header[], name: string): string =>
  headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? ''

/** Replaces all values of a header by one. */
export const withHeader = (headers: readonly Header[], name: string, value: string): Header[] => [
  ...headers.filter(([each]) => each.toLowerCase() !== name.toLowerCase()),
  [name, value],
]
