import type { IncomingMessage } from 'node:http'
import { type Duplex, duplexPair, type Writable } from 'node:stream'
import { type ServerStream, SpdyServerConnection } from '../../../protocols/spdy/server-connection.ts'
import { acceptance } from '../../../protocols/websocket/handshake.ts'
import { ChannelSocket } from './channel-socket.ts'
import { acceptUpgrade, negotiated, offers, refuseUpgrade } from './upgrade-reply.ts'
import { webSocketProtocol } from './web-socket-command.ts'

const SPDY_PROTOCOL = 'portforward.k8s.io'
const WEB_SOCKET_PROTOCOLS = ['v4.channel.k8s.io']

/** One connection to a port of a pod. */
export interface ForwardedConnection {
  readonly port: number
  /** Data of the client, and data for it. */
  readonly data: Duplex
  /** Reports an error to the client. */
  readonly fail: (message: string) => void
}

/** Handles a connection. It owns the data stream. */
export type ForwardConnection = (connection: ForwardedConnection) => void

/**
 * Accepts forwarded ports over SPDY: each connection has a stream for data and one for errors, with the same request
 * id.
 */
export function spdyForward(req: IncomingMessage, socket: Duplex, head: Buffer, handle: ForwardConnection): void {
  const protocol = negotiated(offers(req.headers['x-stream-protocol-version']), [SPDY_PROTOCOL], SPDY_PROTOCOL)
  if (protocol === undefined) {
    refuseUpgrade(socket, 403, `the protocol is not supported; supported is ${SPDY_PROTOCOL}`)
    return
  }
  if (!acceptUpgrade(socket, 'SPDY/3.1', ['X-Stream-Protocol-Version', protocol])) return
  const pairs = new Map<string, { data?: ServerStream; error?: ServerStream }>()
  const connection = new SpdyServerConnection(socket, {
    opened(stream) {
      const { headers } = stream
      const id = headers.get('requestid') ?? ''
      const type = headers.get('streamtype')
      const port = Number(headers.get('port'))
      if ((type !== 'data' && type !== 'error') || !Number.isInteger(port) || port < 1 || port > 65_535) {
        stream.destroy()
        return
      }
      const pair = pairs.get(id) ?? {}
      pair[type] = stream
      pairs.set(id, pair)
      const { data, error } = pair
      if (data === undefined || error === undefined) return
      pairs.delete(id)
      error.resume()
      // Clients wait for the end of the errors, and send until then.
      const endErrors = (): void => void error.end()
      data.once('finish', endErrors).once('close', endErrors)
      handle({ port, data, fail: message => void error.end(message) })
    },
    ended() {
      for (const { data, error } of pairs.values()) for (const stream of [data, error]) stream?.destroy()
    },
  })
  connection.start(head)
}

/**
 * Accepts forwarded ports over a WebSocket: each port of the query has one connection, with a channel for data and one
 * for errors.
 */
export function webSocketForward(
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  ports: readonly number[],
  handle: ForwardConnection,
): void {
  const protocol = webSocketProtocol(req, socket, WEB_SOCKET_PROTOCOLS)
  if (protocol === undefined) return
  socket.write(acceptance(req.headers['sec-websocket-key'] ?? '', protocol), 'latin1')
  const channels = new ChannelSocket(socket)
  let open = ports.length
  const begun = ports.map((port, i) => {
    const [near, far] = duplexPair()
    const input = channels.input(2 * i)
    input.pipe(near)
    near.pipe(channels.output(2 * i))
    near.on('error', () => {})
    const error: Writable = channels.output(2 * i + 1)
    channels.left.addEventListener('abort', () => far.destroy(), { once: true })
    far.once('close', () => {
      if (--open === 0) channels.close()
    })
    return { port, channel: 2 * i, connection: { port, data: far, fail: (message: string) => void error.write(message) } }
  })
  // Both channels of a port begin with its number.
  for (const { port, channel } of begun) for (const each of [channel, channel + 1]) channels.send(each, portBytes(port))
  channels.start(head)
  for (const { connection } of begun) handle(connection)
}

function portBytes(port: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(port)
  return bytes
}
