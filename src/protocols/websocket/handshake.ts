import { createHash } from 'node:crypto'

/** GUID of the handshake (RFC 6455, section 1.3). */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/**
 * Returns the response that accepts a handshake, in latin1.
 * @param key the client's `Sec-WebSocket-Key`.
 * @param protocol the subprotocol, or empty.
 */
export function acceptance(key: string, protocol: string): string {
  const answer = createHash('sha1').update(`${key}${KEY_SUFFIX}`).digest('base64')
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${answer}`]
  if (protocol !== '') lines.push(`Sec-WebSocket-Protocol: ${protocol}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
