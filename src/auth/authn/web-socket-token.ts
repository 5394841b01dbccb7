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
export function webSocketToken({ upgrade, 'sec-websocket-protocol': header }: IncomingHttpHeaders): { readonly token: string } | 'rejected' | undefined {
  if (header === undefined || upgrade?.toLowerCase() !== 'websocket') return undefined
  const protocols = protocolsOf(header)
  const [encoded, second] = protocols.filter(isTokenProtocol)
  if (encoded === undefined) return undefined
  if (second !== undefined || protocols.length === 1) return 'rejected'
  const text = encoded.slice(PREFIX.length)
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return 'rejected'
  const bytes = Buffer.from(text, 'base64url')
  const token = bytes.toString()
  if (!Buffer.from(token).equals(bytes)) return 'rejected'
  return token === '' ? undefined : { token }
}
