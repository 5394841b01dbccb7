import type { Duplex } from 'node:stream'
import { CLOSE, frame, PING, PONG } from './frame.ts'

/** What a client may send, though nobody reads it, in one frame; beyond, it is cut off. */
const MAX_FRAME_BYTES = 1 << 20
/** Of a ping, a pong or a close frame: RFC 6455, 5.5. */
const MAX_CONTROL_BYTES = 125
/** A client that reads no answers to its pings gets no more of them. */
const MAX_UNWRITTEN = 64 * 1024

/** Why nothing more is read: the client closed, has gone, or broke the protocol. */
export type Ending = 'closed' | 'gone' | 'violation'

interface FrameStart {
  readonly opcode: number
  readonly masked: boolean
  /** Bytes before the payload, the mask included. */
  readonly headBytes: number
  readonly payloadBytes: number
}

/** Reads past what a client sends on a stream that goes the other way, and answers its pings. `ended` is called once. `head` is what came behind the handshake. */
export function ignoreReceived(socket: Duplex, head: Buffer, ended: (why: Ending) => void): void {
  /** The beginning of a frame. */
  let waiting: Buffer = head
  /** What is left of a frame that nobody reads. */
  let skip = 0
  let over = false
  const end = (why: Ending): void => {
    if (over) return
    over = true
    waiting = Buffer.alloc(0)
    ended(why)
  }
  /** Takes one frame, or as much of it as is there; undefined where more is needed. */
  const step = (bytes: Buffer): number | undefined => {
    if (skip > 0) {
      const passed = Math.min(skip, bytes.length)
      skip -= passed
      return passed
    }
    const start = frameStart(bytes)
    if (start === undefined) return undefined
    const { opcode, masked, headBytes, payloadBytes } = start
    const isControl = opcode >= CLOSE
    if (!masked || payloadBytes > (isControl ? MAX_CONTROL_BYTES : MAX_FRAME_BYTES)) {
      end('violation')
      return bytes.length
    }
    if (!isControl) {
      skip = headBytes + payloadBytes
      return 0
    }
    if (bytes.length < headBytes + payloadBytes) return undefined
    if (opcode === CLOSE) end('closed')
    if (opcode === PING && socket.writableLength <= MAX_UNWRITTEN) socket.write(frame(PONG, unmasked(bytes.subarray(headBytes - 4, headBytes + payloadBytes))))
    return headBytes + payloadBytes
  }
  const take = (data: Buffer): void => {
    if (over) return
    let rest = waiting.length === 0 ? data : Buffer.concat([waiting, data])
    while (!over && rest.length > 0) {
      const taken = step(rest)
      if (taken === undefined) break
      rest = rest.subarray(taken)
    }
    waiting = over ? Buffer.alloc(0) : rest
  }
  const gone = (): void => end('gone')
  socket.on('data', take).on('end', gone).on('error', gone).on('close', gone)
  take(Buffer.alloc(0))
}

/** Undefined while it can't be told. */
function frameStart(bytes: Buffer): FrameStart | undefined {
  if (bytes.length < 2) return undefined
  const [first, second] = bytes as unknown as [number, number]
  const masked = (second & 0x80) !== 0
  const short = second & 0x7f
  const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8
  if (bytes.length < 2 + lengthBytes) return undefined
  const payloadBytes = lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  return { opcode: first & 0x0f, masked, headBytes: 2 + lengthBytes + (masked ? 4 : 0), payloadBytes }
}

/** A payload behind its mask (RFC 6455, 5.3). */
function unmasked(bytes: Buffer): Buffer {
  const payload = Buffer.from(bytes.subarray(4))
  for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] as number) ^ (bytes[i & 3] as number)
  return payload
}
