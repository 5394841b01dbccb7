import type { Duplex } from 'node:stream'
import { PacedReading } from '../../lib/paced-reading.ts'
import { CLOSE, frame, PING, PONG } from './frame.ts'
import { FrameReader } from './frame-reader.ts'

/** Maximum length of a frame of the client, whose contents are discarded. A longer one ends the connection. */
const MAX_FRAME_BYTES = 1 << 20
/** Unread bytes beyond which pings are not responded to. */
const MAX_UNWRITTEN = 64 * 1024

/** Why reading ended: the client closed the WebSocket, the connection ended, or the client violated the protocol. */
export type Ending = 'closed' | 'gone' | 'violation'

/**
 * Discards messages from the client of a stream to it, and responds to its pings.
 * @param head data that followed the handshake.
 * @param ended called once.
 */
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
