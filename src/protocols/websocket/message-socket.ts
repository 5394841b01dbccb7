import type { Duplex } from 'node:stream'
import { gatherWrites } from '../../lib/gather-writes.ts'
import { PacedReading } from '../../lib/paced-reading.ts'
import { BINARY, CLOSE, closeFrame, frameHead, NORMAL_CLOSURE, PING, PROTOCOL_ERROR } from './frame.ts'
import { FrameReader, type Piece } from './frame-reader.ts'
import { answerPing, type Ending } from './receive.ts'

/** Maximum length of a client's frame, as in golang.org/x/net/websocket. Frames are not buffered. */
const MAX_FRAME_BYTES = 32 << 20
/** Time for the client to read the end and close. */
const LINGER_MS = 5_000

export interface MessageSink {
  /** Called with pieces of a message. The callee owns the buffer. */
  piece(bytes: Buffer, at: Piece): void
  /** The socket has accepted what was sent. */
  drained(): void
  /** No more messages follow. Called once, but not after `close`. */
  ended(why: Ending): void
}

/**
 * Server side of a bidirectional WebSocket, with backpressure in both directions. Responds to pings and close frames.
 */
export class MessageSocket {
  readonly #socket: Duplex
  readonly #sink: MessageSink
  readonly #reader: FrameReader
  readonly #reading: PacedReading
  #over = false
  #closed = false

  constructor(socket: Duplex, sink: MessageSink) {
    this.#socket = socket
    this.#sink = sink
    this.#reader = new FrameReader(MAX_FRAME_BYTES, {
      piece: (bytes, at) => sink.piece(bytes, at),
      control: (opcode, payload) => {
        if (opcode === PING) answerPing(socket, payload)
        if (opcode === CLOSE) this.#end('closed')
      },
      violation: () => this.#end('violation'),
    })
    this.#reading = new PacedReading(socket, this.#reader)
  }

  /**
   * Begins to read.
   * @param head data that followed the handshake.
   */
  start(head: Buffer): void {
    const socket = this.#socket
    const gone = (): void => this.#end('gone')
    socket.on('drain', () => this.#sink.drained())
    this.#reading.start(head)
    socket.on('end', gone).on('error', gone).on('close', gone)
    if (socket.destroyed) gone()
  }

  /**
   * Sends the concatenation of `lead` and `bytes` as a message. Returns false if the caller should wait for `drained`.
   */
  send(lead: Buffer, bytes: Buffer): boolean {
    const socket = this.#socket
    if (this.#closed || !socket.writable) return true
    gatherWrites(socket)
    socket.write(lead.length > 0 ? Buffer.concat([frameHead(BINARY, lead.length + bytes.length), lead]) : frameHead(BINARY, bytes.length))
    if (bytes.length > 0) socket.write(bytes)
    return !socket.writableNeedDrain
  }

  /** Stops reading until `resume`, so that the client has to wait. */
  pause(): void {
    this.#reading.hold()
  }

  resume(): void {
    this.#reading.release()
  }

  /** Sends a close frame and ends the connection. Messages that were sent before are still delivered. */
  close(code = NORMAL_CLOSURE): void {
    if (this.#closed) return
    this.#closed = true
    this.#over = true
    this.#reader.stop()
    const socket = this.#socket
    if (socket.destroyed) return
    // The client's close frame is still read.
    this.#reading.release()
    socket.end(closeFrame(code))
    const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref()
    socket.once('close', () => clearTimeout(linger))
  }

  #end(why: Ending): void {
    if (this.#over) return
    this.#over = true
    this.#reader.stop()
    this.#sink.ended(why)
    if (why === 'gone') this.#socket.destroy()
    else this.close(why === 'violation' ? PROTOCOL_ERROR : NORMAL_CLOSURE)
  }
}
