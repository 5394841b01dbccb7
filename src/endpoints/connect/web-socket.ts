import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Duplex, Readable } from 'node:stream'
import { badRequestError, forbiddenError } from '../../meta/status.ts'
import type { Exchange } from '../exchange.ts'

/** RFC 6455, 1.3. */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const TEXT = 1
const BINARY = 2
const CLOSE = 8
const NORMAL_CLOSURE = Buffer.from([3, 232])
/** What a client may send, though nobody reads it, in one frame; beyond, it is cut off. */
const MAX_FRAME_BYTES = 1 << 20

/** Subprotocols of a stream that is only read: bytes, or their base64. */
const PROTOCOLS: Readonly<Record<string, 'bytes' | 'base64'>> = { '': 'bytes', 'binary.k8s.io': 'bytes', 'base64.binary.k8s.io': 'base64' }

export const asksWebSocket = ({ asksUpgrade, headers }: Exchange): boolean => asksUpgrade && headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Answers with a WebSocket on which a text is sent as it comes: an empty message first, then one a chunk, then a normal closure. Ends when the client closes. Throws 400 for
 * a handshake that is none, 403 where the client speaks none of the subprotocols.
 */
export async function sendOverWebSocket(exchange: Exchange, text: Readable): Promise<void> {
  const { signal } = exchange.ctx
  const protocol = protocolOf(exchange, text)
  const key = exchange.headers['sec-websocket-key'] ?? ''
  const accept = createHash('sha1').update(`${key}${KEY_SUFFIX}`).digest('base64')
  const { socket, head } = exchange.hijack(101)
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`]
  if (protocol !== '') lines.push(`Sec-WebSocket-Protocol: ${protocol}`)
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const cut = (): void => {
    text.destroy()
    socket.destroy()
  }
  signal.addEventListener('abort', cut, { once: true })
  socket.once('close', () => text.destroy())
  ignoreReceived(socket, head, cut)
  try {
    await sendAll(socket, text, PROTOCOLS[protocol] === 'base64')
    socket.end(frame(CLOSE, NORMAL_CLOSURE))
  } catch {
    // Either side broke off.
    cut()
  }
  signal.removeEventListener('abort', cut)
}

function protocolOf({ headers }: Exchange, text: Readable): string {
  const refuse = <E>(error: E): E => {
    text.destroy()
    return error
  }
  if (headers['sec-websocket-version'] !== '13' || headers['sec-websocket-key'] === undefined) throw refuse(badRequestError('bad WebSocket handshake'))
  const asked = (headers['sec-websocket-protocol'] ?? '').split(',').map(each => each.trim())
  const known = asked.find(each => Object.hasOwn(PROTOCOLS, each))
  if (known !== undefined) return known
  const why = `requested protocol(s) are not supported: [${asked.join(' ')}]; supports [${Object.keys(PROTOCOLS).join(' ')}]`
  throw refuse(forbiddenError({ group: '', resource: '' }, '', why))
}

async function sendAll(socket: Duplex, text: Readable, base64: boolean): Promise<void> {
  const opcode = base64 ? TEXT : BINARY
  socket.write(frame(opcode, Buffer.alloc(0)))
  for await (const chunk of text) {
    const payload = base64 ? Buffer.from((chunk as Buffer).toString('base64')) : (chunk as Buffer)
    if (!socket.write(frame(opcode, payload))) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
    if (socket.destroyed) return
  }
}

/** A whole message, unmasked (RFC 6455, 5.2). */
function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = 0x80 | opcode
  if (length < 126) head[1] = length
  else if (length < 65_536) {
    head[1] = 126
    head.writeUInt16BE(length, 2)
  } else {
    head[1] = 127
    head.writeBigUInt64BE(BigInt(length), 2)
  }
  return Buffer.concat([head, payload])
}

/** Reads past what the client sends, and calls `closed` when it closes, or sends what is too long. */
function ignoreReceived(socket: Duplex, head: Buffer, closed: () => void): void {
  /** The beginning of a frame's head. */
  let waiting: Buffer = head
  let skip = 0
  const take = (data: Buffer): void => {
    let rest = waiting.length === 0 ? data : Buffer.concat([waiting, data])
    while (rest.length > 0) {
      if (skip === 0) {
        const size = frameSize(rest)
        if (size === undefined) break
        if (size > MAX_FRAME_BYTES || ((rest[0] as number) & 0x0f) === CLOSE) {
          closed()
          return
        }
        skip = size
      }
      const passed = Math.min(skip, rest.length)
      skip -= passed
      rest = rest.subarray(passed)
    }
    waiting = rest
  }
  socket.on('data', take).on('end', closed).on('error', closed)
  take(Buffer.alloc(0))
}

/** Of the frame that the bytes begin with, its head included; undefined while that can't be told. */
function frameSize(bytes: Buffer): number | undefined {
  if (bytes.length < 2) return undefined
  const second = bytes[1] as number
  const mask = second & 0x80 ? 4 : 0
  const short = second & 0x7f
  if (short < 126) return 2 + mask + short
  if (short === 126) return bytes.length < 4 ? undefined : 4 + mask + bytes.readUInt16BE(2)
  return bytes.length < 10 ? undefined : 10 + mask + Number(bytes.readBigUInt64BE(2))
}
