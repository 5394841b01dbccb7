import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { SharedBytes } from '../../lib/shared-bytes.ts'
import type { Wire } from './wire.ts'

/** How long the rest of an unwanted body is read before the connection is closed. */
const DISCARD_MS = 10_000
const CRLF = Buffer.from('\r\n')

/** Buffers are not reused after a failed write: Node may still refer to them. */
const unlessFailed = (taken: () => void) => (error?: Error | null) => {
  if (!error) taken()
}

/**
 * An HTTP/1.1 response. Frames of a stream are written as chunks to the socket, past Node's response object, so that
 * bytes that several responses share are not copied.
 */
export class Http1Wire implements Wire {
  readonly #res: ServerResponse

  constructor(res: ServerResponse) {
    this.#res = res
  }

  /**
   * Writes the head. Without a length, the body follows in chunks, and the head is flushed so that the client sees the
   * response before the first event.
   */
  head(status: number, headers: string[], length: number | undefined): void {
    if (length !== undefined) headers.push('Content-Length', String(length))
    this.#res.writeHead(status, headers)
    if (length === undefined) this.#res.flushHeaders()
  }

  whole(status: number, headers: string[], body: Buffer): void {
    headers.push('Content-Length', String(body.length))
    this.#res.writeHead(status, headers)
    this.#res.end(body)
  }

  bodiless(status: number, headers: string[], length: number | undefined): void {
    this.head(status, headers, length)
    this.#res.end()
  }

  write(chunk: Buffer, taken?: () => void): boolean {
    return taken === undefined ? this.#res.write(chunk) : this.#res.write(chunk, unlessFailed(taken))
  }

  frame(bytes: SharedBytes): number {
    const socket = this.#res.socket
    // A response that waits behind another on its connection has no socket yet.
    if (socket === null) this.#res.write(bytes.joined)
    else socket.write(bytes.chunk)
    return bytes.chunk.length
  }

  frameIn(memory: Buffer, from: number, to: number, taken: () => void): number {
    const socket = this.#res.socket
    if (socket === null) {
      this.#res.write(memory.subarray(from, to), unlessFailed(taken))
      return to - from
    }
    const size = `${(to - from).toString(16)}\r\n`
    memory.write(size, from - size.length, 'latin1')
    CRLF.copy(memory, to)
    const frame = memory.subarray(from - size.length, to + CRLF.length)
    socket.write(frame, unlessFailed(taken))
    return frame.length
  }

  end(): void {
    this.#res.end()
  }

  destroy(): void {
    this.#res.destroy()
  }

  leaveConnection(): void {}

  /** Bytes that wait in the response object and in the socket. */
  get unwritten(): number {
    return this.#res.writableLength + (this.#res.socket?.writableLength ?? 0)
  }

  get needsDrain(): boolean {
    return this.#res.socket?.writableNeedDrain ?? this.#res.writableNeedDrain
  }

  get closed(): boolean {
    return this.#res.destroyed || this.#res.closed || (this.#res.socket?.destroyed ?? false)
  }

  /** Reads and drops the rest of the body, for at most DISCARD_MS. Then the connection is closed. */
  discardBody(): void {
    const { req } = this.#res
    const timer = setTimeout(() => {
      if (!req.complete) req.destroy()
    }, DISCARD_MS)
    timer.unref()
    req.resume().once('close', () => clearTimeout(timer))
  }

  onClose(listener: () => void): void {
    this.#res.once('close', listener)
  }

  onDrain(listener: () => void): void {
    const socket = this.#res.socket
    // Frames bypass the response, so its `drain` event does not cover them.
    if (socket === null) this.#res.once('drain', listener)
    else socket.once('drain', listener)
  }

  offDrain(listener: () => void): void {
    this.#res.off('drain', listener)
    this.#res.socket?.off('drain', listener)
  }

  sink(): Writable {
    return this.#res
  }
}
