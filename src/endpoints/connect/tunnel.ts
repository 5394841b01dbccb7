import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Destination } from '../../catalog/connect.ts'
import { endWhenStalled } from '../../lib/end-when-stalled.ts'
import { TEXT } from '../../protocols/websocket/frame.ts'
import { MessageSocket } from '../../protocols/websocket/message-socket.ts'
import type { Exchange } from '../exchange.ts'
import { sendText } from '../send-text.ts'
import { accept, askedProtocols, asksWebSocket, type Taken } from '../web-socket/handshake.ts'
import { askAsServer, type Kubelets, type Reply } from './ask.ts'
import { forwardedHeaders } from './headers.ts'
import type { StreamMetrics } from './stream-translation.ts'
import { passRefusal, sendUpgrade } from './upgrade.ts'

/** Prefix of the subprotocol for SPDY that is carried in messages. */
const PREFIX = 'SPDY/3.1+'
const SUFFIX = '.k8s.io'
/** Time for either side to read the rest when the other has ended, in milliseconds. */
const LINGER_MS = 5_000
const NOTHING = Buffer.alloc(0)

const carriedProtocols = (exchange: Exchange): string[] =>
  askedProtocols(exchange).flatMap(each => (each.startsWith(PREFIX) && each.endsWith(SUFFIX) ? [each.slice(PREFIX.length)] : []))

/** Reports whether the client sends SPDY in the messages of a WebSocket. */
export const asksTunnel = (exchange: Exchange): boolean => asksWebSocket(exchange) && carriedProtocols(exchange).length > 0

/**
 * Tunnels a client's SPDY: unwraps it from WebSocket messages for the kubelet, and wraps the kubelet's. The client is
 * connected when the kubelet accepts. A refusal is sent to the client.
 */
export async function tunnel(exchange: Exchange, destination: Destination, kubelets: Kubelets, metrics: StreamMetrics): Promise<void> {
  const fault = handshakeFault(exchange)
  if (fault !== undefined) {
    metrics.countTunneled(500)
    exchange.setHeader('Sec-WebSocket-Version', '13')
    return sendText(exchange, fault, STATUS_CODES[fault] ?? '')
  }
  const reply = await sendUpgrade(exchange, destination, askAsServer(kubelets), 'POST', spdyHeaders(exchange))
  const { response, upgraded } = reply
  if (upgraded === undefined) {
    if ((response.statusCode ?? 0) >= 400) metrics.countTunneled(response.statusCode ?? 0)
    return passRefusal(exchange, reply)
  }
  if (!agreesToSpdy(reply)) {
    upgraded.socket.destroy()
    metrics.countTunneled(500)
    return sendText(exchange, 500, 'unable to upgrade: missing upgrade headers in response')
  }
  const agreed = String(response.headers['x-stream-protocol-version'] ?? '').trim()
  const taken = accept(exchange, askedProtocols(exchange).find(each => each === PREFIX + agreed) ?? '')
  metrics.countTunneled(101)
  endWhenStalled(upgraded.socket)
  await join(taken, upgraded, exchange.ctx.signal)
}

/** Returns the status of an invalid handshake. Undefined if it is valid. */
function handshakeFault({ method, headers }: Exchange): number | undefined {
  if (method !== 'GET') return 405
  const key = Buffer.from(headers['sec-websocket-key'] ?? '', 'base64')
  return headers['sec-websocket-version'] === '13' && key.length === 16 ? undefined : 400
}

/** Returns the headers of an SPDY request, as the client would have sent it itself. */
const spdyHeaders = (exchange: Exchange): (readonly [string, string])[] => [
  ...forwardedHeaders(exchange).filter(
    ([name]) =>
      !/^(?:upgrade|sec-websocket-(?:protocol|key|version|extensions)|x-stream-protocol-version|content-length|transfer-encoding)$/i.test(
        name,
      ),
  ),
  ['Upgrade', 'SPDY/3.1'],
  ['Content-Length', '0'],
  ...carriedProtocols(exchange).map(each => ['X-Stream-Protocol-Version', each] as const),
]

const agreesToSpdy = ({ response: { headers } }: Reply): boolean =>
  /upgrade/i.test(headers.connection ?? '') && /spdy\/3\.1/i.test(headers.upgrade ?? '')

/** Copies bytes in both directions, at the pace of their readers, until either side ends. Never rejects. */
function join(client: Taken, kubelet: { readonly socket: Duplex; readonly head: Buffer }, signal: AbortSignal): Promise<void> {
  const { socket } = kubelet
  return new Promise(resolve => {
    let isOver = false
    const leave = (): void => {
      if (isOver) return
      isOver = true
      messages.close()
      socket.resume().end()
      const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref()
      socket.once('close', () => clearTimeout(linger))
      signal.removeEventListener('abort', cut)
      resolve()
    }
    const cut = (): void => {
      leave()
      socket.destroy()
    }
    const messages = new MessageSocket(client.socket, {
      piece: (bytes, { opcode }) => {
        if (opcode === TEXT) leave()
        else if (bytes.length > 0 && socket.writable && !socket.write(bytes)) messages.pause()
      },
      drained: () => socket.resume(),
      ended: leave,
    })
    const take = (bytes: Buffer): void => {
      if (!messages.send(NOTHING, bytes)) socket.pause()
    }
    socket
      .on('data', take)
      .on('drain', () => messages.resume())
      .on('error', leave)
      .once('end', leave)
      .once('close', leave)
    if (kubelet.head.length > 0) take(kubelet.head)
    messages.start(client.head)
    if (signal.aborted) cut()
    else signal.addEventListener('abort', cut, { once: true })
  })
}
