import type { Duplex } from 'node:stream'
import type { SharedBytes } from '../../lib/shared-bytes.ts'
import { BINARY, closeFrame, frameHead, NORMAL_CLOSURE, TEXT } from './frame.ts'

/** Unwritten bytes beyond which a slow client is disconnected, as over HTTP. */
const MAX_UNWRITTEN = 1 << 20
/** Time for the client to read the end and close. */
const LINGER_MS = 5_000

/** Form of the messages of a watch. */
export interface MessageForm {
  /** Whether messages are text, or binary otherwise. */
  readonly text: boolean
  /** Length of a prefix that is removed from each buffer. It frames messages in other protocols. */
  readonly leadBytes: number
}

/** Sends messages on a WebSocket that only the server writes to. Each buffer is a message. */
export class MessageStream {
  readonly #socket: Duplex
  readonly #opcode: number
  readonly #leadBytes: number
  #ended = false

  constructor(socket: Duplex, { text, leadBytes }: MessageForm) {
    this.#socket = socket
    this.#opcode = text ? TEXT : BINARY
    this.#leadBytes = leadBytes
  }

  get open(): boolean {
    return !this.#ended && !this.#socket.destroyed
  }

  /** Bytes in the socket's buffer, frame headers included. */
  get unwritten(): number {
    return this.#socket.writableLength
  }

  /**
   * Disconnects a client that does not read: one with more than a mebibyte unwritten. Returns false if nothing was
   * written.
   */
  write({ pieces }: SharedBytes): boolean {
    if (!this.open) return false
    const socket = this.#socket
    if (socket.writableLength > MAX_UNWRITTEN) {
      this.#ended = true
      socket.destroy()
      return false
    }
    socket.cork()
    for (const chunk of pieces) {
      const payload = this.#leadBytes === 0 ? chunk : chunk.subarray(this.#leadBytes)
      socket.write(frameHead(this.#opcode, payload.length))
      socket.write(payload)
    }
    socket.uncork()
    return true
  }

  /** Resolves when the client has read enough to continue, or has gone. */
  drained(): Promise<void> {
    const socket = this.#socket
    if (!this.open || !socket.writableNeedDrain) return Promise.resolve()
    return new Promise(resolve => {
      const done = (): void => {
        socket.off('drain', done).off('close', done)
        resolve()
      }
      socket.on('drain', done).on('close', done)
    })
  }

  /** Closes with the status of a normal closure. */
  end(): void {
    this.close(NORMAL_CLOSURE)
  }

  /** Sends a close frame with a status code, and ends the connection. */
  close(code: number): void {
    if (!this.open) return
    this.#ended = true
    const socket = this.#socket
    socket.end(closeFrame(code))
    const linger = setTimeout(() => socket.destroy(), LINGER_MS)
    linger.unref()
    socket.once('close', () => clearTimeout(linger))
  }
}
