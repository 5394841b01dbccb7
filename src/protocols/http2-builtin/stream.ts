import type { ServerHttp2Stream } from 'node:http2'
import { nextTick } from 'node:process'
import type { Writable } from 'node:stream'
import { Progress } from '../../lib/progress.ts'
import type { SharedBytes } from '../../lib/shared-bytes.ts'
import { ErrorCode } from '../http2/errors.ts'
import type { ConnectionLimits } from '../http2/limits.ts'
import type { Http2Request } from '../http2/request.ts'
import { sinkOf } from '../http2/sink.ts'
import { responseHeaders } from './response-headers.ts'

/** Calls back unless the write failed. The buffer of a failed write is not reused. */
const unlessFailed = (taken: () => void) => (error?: Error | null) => {
  if (!error) taken()
}

/** Response side of a stream of a Node session. */
export class BuiltinStream {
  /** Undefined until the request was constructed. */
  request: Http2Request | undefined
  /** Size of the request's head, in bytes. */
  headBytes = 0
  /** Whether the client has sent END_STREAM. */
  remoteEnded = false
  /** Unread bytes of the request's body. */
  unread = 0
  /** Whether the stream is over. Calls have no effect then. */
  closed = false
  readonly #stream: ServerHttp2Stream
  readonly #leave: () => void
  #ending = false
  /** Unwritten bytes at the last check. */
  #waited = 0
  readonly #progress = new Progress()
  #closeListeners: (() => void)[] = []

  /** @param leave sends GOAWAY to the client. */
  constructor(stream: ServerHttp2Stream, leave: () => void) {
    this.#stream = stream
    this.#leave = leave
    const close = (): void => this.#close()
    // `aborted` is emitted before `close`, and alone if the client cancels without an error.
    stream.on('close', close).on('aborted', close)
    // A failure is handled when the stream closes.
    stream.on('error', () => {})
  }

  get destroyed(): boolean {
    return this.closed
  }

  get writableEnded(): boolean {
    return this.#ending || this.closed
  }

  head(status: number, headers: string[], length: number | undefined): void {
    if (length !== undefined) headers.push('content-length', String(length))
    this.#respond(status, headers, false)
  }

  whole(status: number, headers: string[], body: Buffer): void {
    headers.push('content-length', String(body.length))
    this.#respond(status, headers, body.length === 0)
    if (body.length === 0 || this.closed) return
    this.#ending = true
    this.#stream.end(body)
  }

  bodiless(status: number, headers: string[], length: number | undefined): void {
    if (length !== undefined) headers.push('content-length', String(length))
    this.#respond(status, headers, true)
  }

  #respond(status: number, headers: string[], endStream: boolean): void {
    if (this.closed) return
    // Node ends the response to a HEAD request before it reports the request.
    if (this.#stream.writableFinished) nextTick(this.#finished)
    else this.#stream.once('finish', this.#finished)
    this.#stream.respond(responseHeaders(status, headers), { endStream })
    if (endStream) this.#ending = true
  }

  /**
   * The response is sent. A client that has not sent END_STREAM receives RST_STREAM, because the rest of its body is
   * not read.
   */
  readonly #finished = (): void => {
    if (!this.remoteEnded && !this.closed) this.#stream.close(ErrorCode.none)
    this.#close()
  }

  /** Returns false if the caller should wait for drain. `taken` is called once the buffer can be reused. */
  write(chunk: Buffer, taken?: () => void): boolean {
    if (this.closed || this.#ending) return false
    return taken === undefined ? this.#stream.write(chunk) : this.#stream.write(chunk, unlessFailed(taken))
  }

  frame(bytes: SharedBytes): number {
    this.write(bytes.joined)
    return bytes.length
  }

  frameIn(memory: Buffer, from: number, to: number, taken: () => void): number {
    this.write(memory.subarray(from, to), taken)
    return to - from
  }

  end(): void {
    if (this.closed || this.#ending) return
    this.#ending = true
    this.#stream.end()
  }

  destroy(): void {
    this.reset(ErrorCode.cancel)
  }

  /** Resets the stream with an error code. */
  reset(code: number): void {
    if (this.closed) return
    this.#stream.close(code)
    this.#close()
  }

  leaveConnection(): void {
    this.#leave()
  }

  /** Bytes in Node's buffer. */
  get unwritten(): number {
    return this.closed ? 0 : this.#stream.writableLength
  }

  get needsDrain(): boolean {
    return !this.closed && this.#stream.writableNeedDrain
  }

  /**
   * Reports whether the client reads none of the response. Progress is measured in complete writes, because Node
   * reports no other.
   */
  isStalled(now: number, { stalledMs, stalledStreamMs }: ConnectionLimits): boolean {
    const { unwritten } = this
    const stalledFor = this.#progress.stalledFor(now, unwritten > 0, unwritten !== this.#waited)
    this.#waited = unwritten
    return stalledFor > (this.#ending ? stalledMs : stalledStreamMs)
  }

  /** Discards the rest of the request's body, after the response is complete. */
  discardBody(): void {
    this.request?.resume()
  }

  onClose(listener: () => void): void {
    if (this.closed) nextTick(listener)
    else this.#closeListeners.push(listener)
  }

  onDrain(listener: () => void): void {
    this.#stream.once('drain', listener)
  }

  offDrain(listener: () => void): void {
    this.#stream.off('drain', listener)
  }

  sink(): Writable {
    return sinkOf(this)
  }

  /** Closes the stream, after both sides have ended it or one has reset it. */
  #close(): void {
    if (this.closed) return
    this.closed = true
    this.request?.destroy()
    const listeners = this.#closeListeners
    this.#closeListeners = []
    // Listeners run in a later turn, because the caller may be in the middle of an update.
    if (listeners.length > 0)
      nextTick(() => {
        for (const listener of listeners) listener()
      })
  }
}
