import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { load } from 'js-yaml'

/**
 * Opens a watch over a WebSocket as the kubeconfig's user. Returns the head of the response and the first message (of
 * less than 64 KiB) as text.
 */
export async function webSocketWatch(secureUrl: string, kubeconfig: string, path: string): Promise<{ head: string; first: string }> {
  const { users } = load(readFileSync(kubeconfig, 'utf8')) as Record<string, [Record<string, Record<string, string>>]>
  const pem = (name: string): Buffer => Buffer.from(users?.[0].user?.[name] ?? '', 'base64')
  const { hostname, port, host } = new URL(secureUrl)
  const socket = connect({
    host: hostname,
    port: Number(port),
    cert: pem('client-certificate-data'),
    key: pem('client-key-data'),
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  })
  try {
    await once(socket, 'secureConnect')
    const asked = [
      `GET ${path} HTTP/1.1`,
      `Host: ${host}`,
      `Origin: https://${host}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
    ]
    socket.write([...asked, `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`, '', ''].join('\r\n'))
    let bytes = Buffer.alloc(0)
    for await (const part of socket) {
      bytes = Buffer.concat([bytes, part as Buffer])
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0) continue
      const frame = bytes.subarray(end + 4)
      const short = frame.length > 1 ? (frame[1] ?? 0) & 127 : 0
      if (frame.length < 4) continue
      const [from, length] = short < 126 ? [2, short] : [4, frame.readUInt16BE(2)]
      if (frame.length >= from + length)
        return { head: bytes.subarray(0, end).toString(), first: frame.subarray(from, from + length).toString() }
    }
    return { head: bytes.toString(), first: '' }
  } finally {
    socket.destroy()
  }
}
