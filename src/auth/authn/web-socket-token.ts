import type { IncomingHttpHeaders } from 'node:http'

const PREFIX = 'base64url.bearer.authorization.k8s.io.'

/** Whether a WebSocket subprotocol is a credential: it is for this server alone, and is not passed on. */
export const isTokenProtocol = (protocol: string): boolean => protocol.startsWith(PREFIX)

/** The subprotocols of a Sec-WebSocket-Protocol header. */
export const protocolsOf = (header: string): string[] => header.split(',').map(each => each.trim())

/**
 * The bearer token of a WebSocket handshake: browsers can set no Authorization header there, so it stands among the subprotocols, in base64url. `rejected`: there are several, it
 * is no text, or no other subprotocol is left to agree on.
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
