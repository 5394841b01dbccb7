import type { Duplex } from 'node:stream'
import { PacedReading } from '../../lib/paced-reading.ts'
import { CLOSE, frame, PING, PONG } from './frame.ts'
import { FrameReader } from './frame-reader.ts'

/** What a client may send, though nobody reads it, in one frame; beyond, it is cut off. */
const MAX_FRAME_BYTES = 1 << 20
/** A client that reads no answers to its pings gets no more of them. */
const MAX_UNWRITTEN = 64 * 1024

/** Why nothing more is read: the client closed, has gone, or broke the protocol. */
export type Ending = 'closed' | 'gone' | 'violation'

/** Reads past what a client sends on a stream that goes the other way, and answers its pings. `ended` is called once. `head` is what came behind the handshake. */
export function ignoreReceived(socket: Duplex, head: Buffer, ended: (why: Ending) => void): void {
  let over = false
  const end = (why: Ending): void => {
    if (over) return
    over = true
    reader.stop()
    ended(why)
  }
  const reader = new FrameReader(MAX_FRAME_BYTES, {
    control: (opcode, payload) => {
      if (opcode === CLOSE) end('closed')
      else if (opcode === PING) answerPing(socket, payload)
    },
    violation: () => end('violation'),
  })
  const gone = (): void => end('gone')
  new PacedReading(socket, reader).start(head)
  socket.on('end', gone).on('error', gone).on('close', gone)
}

export function answerPing(socket: Duplex, payload: Buffer): void {
  if (socket.writable && socket.writableLength <= MAX_UNWRITTEN) socket.write(frame(PONG, payload))
}
