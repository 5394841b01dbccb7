import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { DialledAgent, DialledTlsAgent } from '../lib/connect-proxy.ts'
import { errorMessage } from '../lib/error-message.ts'
import { quote } from '../lib/go-quote.ts'
import { parseGoUrl } from '../meta/go-url.ts'
import type { CallResponse, Destination } from './destination.ts'

/** Maximum number of requests of one call, including the first, as in net/http. */
export const MOST_REQUESTS = 10

/** Redirects that are followed with GET and without body. */
const BY_GET = new Set([301, 302, 303])
/** Redirects that are followed with the same method and body. */
const BY_SAME = new Set([307, 308])

/** A request after a redirect failed. `url` is that of the failed request. */
export class RedirectError extends Error {
  readonly url: string

  constructor(url: string, message: string) {
    super(message)
    this.url = url
  }
}

export const urlOf = ({ agent, authority, path }: Pick<Destination, 'agent' | 'authority' | 'path'>): string =>
  `${agent instanceof HttpsAgent ? 'https' : 'http'}://${authority}${path}`

/** One request of a call. */
export interface Sent {
  readonly to: Destination
  /** Omitted for a GET. */
  readonly body?: string | Buffer
}

/**
 * Returns the request that a response redirects to, as Go's http.Client follows it. Undefined if it does not redirect.
 * Throws a RedirectError if the Location is invalid.
 */
export function redirected({ to, body }: Sent, { status, headers: { location } }: CallResponse): Sent | undefined {
  if (location === undefined || location === '' || !(BY_GET.has(status) || BY_SAME.has(status))) return undefined
  const from = urlOf(to)
  const url = URL.canParse(location, from) ? new URL(location, from) : undefined
  if (url === undefined) throw new RedirectError(from, `failed to parse Location header ${quote(location)}: ${urlFault(location)}`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new RedirectError(url.href, `unsupported protocol scheme ${quote(url.protocol.slice(0, -1))}`)
  const next: Destination = {
    ...to,
    agent: agentOf(to, url),
    ...addressOf(to, url),
    path: url.pathname + url.search,
    headers: url.host === to.authority ? to.headers : withoutCredentials(to.headers),
  }
  return body === undefined || BY_GET.has(status) ? { to: next } : { to: next, body }
}

/** Error of an invalid URL, in Go's words. */
function urlFault(text: string): string {
  try {
    parseGoUrl(text)
    return 'invalid URL'
  } catch (error) {
    return errorMessage(error)
  }
}

/** Address of a redirect. The same host is dialled as before. */
function addressOf(
  to: Destination,
  { protocol, host, hostname, port }: URL,
): Pick<Destination, 'host' | 'port' | 'authority' | 'serverName'> {
  if (host === to.authority) return { host: to.host, port: to.port, authority: host, serverName: to.serverName }
  const name = hostname.replace(/^\[(.*)\]$/, '$1')
  return { host: name, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port), authority: host, serverName: name }
}

/** Agent of a redirect. Plain connections to another server are not kept. */
function agentOf({ agent, dial }: Destination, { protocol }: URL): HttpAgent {
  if (agent instanceof HttpsAgent === (protocol === 'https:')) return agent
  if (protocol === 'https:') return dial ? new DialledTlsAgent(dial, {}) : new HttpsAgent()
  return dial ? new DialledAgent(dial, {}) : new HttpAgent()
}

/** Removes credentials for a redirect to another host. */
const withoutCredentials = (headers: Destination['headers']): Destination['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'))
