import { nextTick } from 'node:process'
import type { Writable } from 'node:stream'
import { invariant } from '../../lib/invariant.ts'
import type { SharedBytes } from '../../lib/shared-bytes.ts'
import { ErrorCode } from './errors.ts'
import { MAX_31_BITS } from './frames.ts'
import type { ReceiveWindow } from './receive-window.ts'
import type { Http2Request } from './request.ts'
import type { DataSource } from './sender.ts'
import { sinkOf } from './sink.ts'

/** The part of a connection that its streams use. */
export interface StreamHost {
  /** Sends HEADERS. Names and values of headers alternate; `end` sets END_STREAM. */
  sendHead(stream: number, status: number, headers: string[], end: boolean): void
  /** Schedules the stream for sending, because it has data, an end or a larger window. */
  serve(stream: Http2Stream): void
  reset(stream: number, code: number): void
  /** Sends GOAWAY. */
  leave(): void
  /** Called when both sides of the stream have ended. */
  gone(stream: Http2Stream): void
}

/** Unsent bytes from which a writer should pause. */
const HIGH_WATER = 64 * 1024

/** Response side of a stream. */
export class Http2Stream implements DataSource {
  readonly id: number
  /** Bytes that the client still accepts on this stream. Negative after it has reduced its initial window. */
  window: number
  /** Bytes that were written and not yet sent. */
  queued = 0
  /** Whether the response ends after the queued bytes. */
  ending = false
  /** Whether the connection has the stream in its list of streams to serve. */
  ready = false
  /** Undefined until the head has been decoded. */
  request: Http2Request | undefined
  /** Window for the request's body. */
  readonly receiving: ReceiveWindow
  /** Bytes of the body that are missing up to `content-length`. Undefined if the head has none. */
  #expected: number | undefined
  /** Size of the request's head, in bytes. */
  headBytes = 0
  /** Whether the client has sent END_STREAM. */
  remoteEnded = false
  /** Whether the stream is over. Calls have no effect then. */
  closed = false
  readonly #host: StreamHost
  #queue: Buffer[] = []
  /** Callbacks of the buffers in `queue`, called when they are sent. */
  #whenTaken: ((() => void) | undefined)[] = []
  /** Bytes of the first buffer that are sent. */
  #offset = 0
  /** Whether bytes were sent since the last check. */
  #moved = false
  #stalledSince = 0
  #closeListeners: (() => void)[] = []
  #drainListeners: (() => void)[] = []

  constructor(id: number, host: StreamHost, window: number, receiving: ReceiveWindow) {
    this.id = id
    this.#host = host
    this.window = window
    this.receiving = receiving
  }

  /**
   * Sets the length of the body.
   * @param bytes value of `content-length`, or undefined.
   */
  expect(bytes: number | undefined): void {
    this.#expected = bytes
  }

  /** Counts received bytes of the body. Returns false if they exceed `content-length`. */
  counts(bytes: number): boolean {
    if (this.#expected === undefined) return true
    this.#expected -= bytes
    return this.#expected >= 0
  }

  /** Records END_STREAM. Returns false if the body is shorter than `content-length`. */
  endsRemote(): boolean {
    this.remoteEnded = true
    return this.#expected === undefined || this.#expected <= 0
  }

  // ── Response ──

  get destroyed(): boolean {
    return this.closed
  }

  get writableEnded(): boolean {
    return this.ending || this.closed
  }

  head(status: number, headers: string[], length: number | undefined): void {
    if (length !== undefined) headers.push('content-length', String(length))
    this.#sendHead(status, headers, false)
  }

  whole(status: number, headers: string[], body: Buffer): void {
    headers.push('content-length', String(body.length))
    this.#sendHead(status, headers, body.length === 0)
    if (body.length === 0) return
    this.write(body)
    this.end()
  }

  bodiless(status: number, headers: string[], length: number | undefined): void {
    if (length !== undefined) headers.push('content-length', String(length))
    this.#sendHead(status, headers, true)
  }

  #sendHead(status: number, headers: string[], end: boolean): void {
    if (this.closed) return
    this.#host.sendHead(this.id, status, headers, end)
    if (end) this.sent()
  }

  /**
   * Queues bytes, which the caller must not change until `taken` is called. Returns false if it should wait for drain.
   */
  write(chunk: Buffer, taken?: () => void): boolean {
    if (this.closed || this.ending) return false
    if (chunk.length > 0) {
      this.#queue.push(chunk)
      this.#whenTaken.push(taken)
      this.queued += chunk.length
      this.#host.serve(this)
    }
    return !this.needsDrain
  }

  /** Writes bytes that several responses share. HTTP/2 needs no framing of its own, unlike chunks of HTTP/1.1. */
  frame(bytes: SharedBytes): number {
    this.write(bytes.joined)
    return bytes.length
  }

  /** Writes a range of memory that the caller may reuse once `taken` is called. */
  frameIn(memory: Buffer, from: number, to: number, taken: () => void): number {
    this.write(memory.subarray(from, to), taken)
    return to - from
  }

  end(): void {
    if (this.closed || this.ending) return
    this.ending = true
    this.#host.serve(this)
  }

  destroy(): void {
    this.reset(ErrorCode.cancel)
  }

  leaveConnection(): void {
    this.#host.leave()
  }

  get unwritten(): number {
    return this.queued
  }

  get needsDrain(): boolean {
    return this.queued > HIGH_WATER
  }

  /** Discards the rest of the request's body, after the response is complete. */
  discardBody(): void {
    this.request?.resume()
  }

  /** Calls the listener in a later turn, also if the stream has closed before. */
  onClose(listener: () => void): void {
    if (this.closed) nextTick(listener)
    else this.#closeListeners.push(listener)
  }

  /** Calls the listener once: when the queue is empty or the stream closes. */
  onDrain(listener: () => void): void {
    this.#drainListeners.push(listener)
  }

  offDrain(listener: () => void): void {
    const at = this.#drainListeners.indexOf(listener)
    if (at >= 0) this.#drainListeners.splice(at, 1)
  }

  sink(): Writable {
    return sinkOf(this)
  }

  // ── Source ──

  take(into: Buffer, at: number, bytes: number): void {
    let to = at
    for (let left = bytes; left > 0; ) {
      const first = this.#queue[0]
      invariant(first, 'no more is taken than is queued')
      const taken = Math.min(left, first.length - this.#offset)
      first.copy(into, to, this.#offset, this.#offset + taken)
      to += taken
      left -= taken
      this.#offset += taken
      if (this.#offset === first.length) {
        this.#queue.shift()
        this.#offset = 0
        this.#whenTaken.shift()?.()
      }
    }
    this.queued -= bytes
    this.#moved = true
  }

  /** Returns the milliseconds for which the client has read nothing although data waits. */
  stalledFor(now: number): number {
    const moves = this.#moved || this.queued === 0
    this.#moved = false
    if (moves || this.#stalledSince === 0) this.#stalledSince = now
    return this.queued === 0 ? 0 : now - this.#stalledSince
  }

  /**
   * END_STREAM has been sent. A client that has not sent its own receives RST_STREAM, because the rest of its body is
   * not read.
   */
  sent(): void {
    if (!this.remoteEnded) this.#host.reset(this.id, ErrorCode.none)
    this.close()
  }

  /** Calls the drain listeners. They may write again. */
  emptied(): void {
    if (this.#drainListeners.length === 0) return
    const listeners = this.#drainListeners
    this.#drainListeners = []
    for (const listener of listeners) listener()
  }

  /** Grows the window of the client. Returns false if it exceeds the maximum. */
  widen(bytes: number): boolean {
    this.window += bytes
    if (this.window > MAX_31_BITS) return false
    if (this.queued > 0) this.#host.serve(this)
    return true
  }

  /** Resets the stream with an error code. */
  reset(code: number): void {
    if (this.closed) return
    this.#host.reset(this.id, code)
    this.close()
  }

  /** Closes the stream, after both sides have ended it or one has reset it. */
  close(): void {
    if (this.closed) return
    this.closed = true
    this.#queue = []
    this.#whenTaken = []
    this.queued = 0
    this.ending = false
    this.#host.gone(this)
    this.request?.destroy()
    const listeners = [...this.#closeListeners, ...this.#drainListeners]
    this.#closeListeners = []
    this.#drainListeners = []
    // Listeners run in a later turn, because the caller may be in the middle of an update.
    if (listeners.length > 0)
      nextTick(() => {
        for (const listener of listeners) listener()
      })
  }
}
