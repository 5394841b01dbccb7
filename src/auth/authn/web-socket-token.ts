import type { IncomingHttpHeaders } from 'node:http'

const PREFIX = 'base64url.bearer.authorization.k8s.io.'

/** Whether a WebSocket subprotocol is a credential. It is for this server only and is not forwarded. */
export const isTokenProtocol = (protocol: string): boolean => protocol.startsWith(PREFIX)

/** Parses a Sec-WebSocket-Protocol header. */
export const protocolsOf = (header: string): string[] => header.split(',').map(each => each.trim())

/**
 * Returns the bearer token of a WebSocket handshake. Browsers cannot set an Authorization header there, so the token is
 * a subprotocol in base64url. `rejected`: there are several, the token is not valid UTF-8, or no other subprotocol
 * remains to negotiate.
 */
export function webSocketToken(headers: IncomingHttpHeaders): { readonly token: string } | 'rejected' | undefined {
  const { connection, upgrade, 'sec-websocket-protocol': header } = headers
  if (header === undefined || upgrade?.toLowerCase() !== 'websocket' || !/upgrade/i.test(connection ?? '')) return undefined
  const protocols = protocolsOf(header)
  const [encoded, second] = protocols.filter(isTokenProtocol)
  if (encoded === undefined) return undefined
  if (second !== undefined) return 'rejected'
  const text = encoded.slice(PREFIX.length)
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return 'rejected'
  const bytes = Buffer.from(text, 'base64url')
  const token = bytes.toString()
  if (!Buffer.from(token).equals(bytes)) return 'rejected'
  if (token === '') return undefined
  return protocols.length === 1 ? 'rejected' : { token }
}
