import { createHash } from 'node:crypto'

/** RFC 6455, 1.3. */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** The response that agrees to a handshake, in bytes of latin1. `key` is the client's; `protocol` is the subprotocol, '' where there is none. */
export function acceptance(key: string, protocol: string): string {
  const answer = createHash('sha1').update(`${key}${KEY_SUFFIX}`).digest('base64')
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${answer}`]
  if (protocol !== '') lines.push(`Sec-WebSocket-Protocol: ${protocol}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
