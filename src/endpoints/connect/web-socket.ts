import { once } from 'node:events'
import type { Duplex, Readable } from 'node:stream'
import { badRequestError, forbiddenError } from '../../meta/status.ts'
import { BINARY, closeFrame, frame, NORMAL_CLOSURE, TEXT } from '../../protocols/websocket/frame.ts'
import { ignoreReceived } from '../../protocols/websocket/receive.ts'
import type { Exchange } from '../exchange.ts'
import { accept } from '../web-socket/handshake.ts'

/** Subprotocols of a read-only stream: bytes, or their base64. */
const PROTOCOLS: Readonly<Record<string, 'bytes' | 'base64'>> = { '': 'bytes', 'binary.k8s.io': 'bytes', 'base64.binary.k8s.io': 'base64' }

/** Time for a client to read the end and close, in milliseconds. */
const LINGER_MS = 5_000

/**
 * Opens a WebSocket and sends a text as it is read: an empty message, one message for each chunk, and a normal closure.
 * Ends when the client closes. Throws 400 for an invalid handshake, and 403 if the client supports none of the
 * subprotocols.
 */
export async function sendOverWebSocket(exchange: Exchange, text: Readable): Promise<void> {
  const { signal } = exchange.ctx
  const protocol = protocolOf(exchange, text)
  const { socket, head } = accept(exchange, protocol)
  const cut = (): void => {
    text.destroy()
    socket.destroy()
  }
  signal.addEventListener('abort', cut, { once: true })
  socket.once('close', () => text.destroy())
  ignoreReceived(socket, head, cut)
  try {
    await sendAll(socket, text, PROTOCOLS[protocol] === 'base64')
    socket.end(closeFrame(NORMAL_CLOSURE))
    const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref()
    socket.once('close', () => clearTimeout(linger))
  } catch {
    // Either side broke off.
    cut()
  }
  signal.removeEventListener('abort', cut)
}

/**
 * Returns the client's first subprotocol that the server supports. Without an offer, bytes are sent. Throws 400
 * and 403.
 */
function protocolOf({ headers }: Exchange, text: Readable): string {
  const refuse = <E>(error: E): E => {
    text.destroy()
    return error
  }
  if (headers['sec-websocket-version'] !== '13' || headers['sec-websocket-key'] === undefined)
    throw refuse(badRequestError('bad WebSocket handshake'))
  const asked = (headers['sec-websocket-protocol'] ?? '').split(',').map(each => each.trim())
  const known = asked.find(each => Object.hasOwn(PROTOCOLS, each))
  if (known !== undefined) return known
  const why = `requested protocol(s) are not supported: [${asked.join(' ')}]; supports [${Object.keys(PROTOCOLS).join(' ')}]`
  throw refuse(forbiddenError({ group: '', resource: '' }, '', why))
}

/** Sends the text at the client's pace: a message waits until the socket has drained. */
async function sendAll(socket: Duplex, text: Readable, base64: boolean): Promise<void> {
  const opcode = base64 ? TEXT : BINARY
  socket.write(frame(opcode, Buffer.alloc(0)))
  const chunks: AsyncIterable<Buffer> = text
  for await (const chunk of chunks) {
    const payload = base64 ? Buffer.from(chunk.toString('base64')) : chunk
    if (!socket.write(frame(opcode, payload))) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
    if (socket.destroyed) return
  }
}
