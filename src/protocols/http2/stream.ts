import { nextTick } from 'node:process'
import type { Writable } from 'node:stream'
import { invariant } from '../../lib/invariant.ts'
import type { SharedBytes } from '../../lib/shared-bytes.ts'
import { ErrorCode } from './errors.ts'
import { MAX_31_BITS } from './frames.ts'
import type { ReceiveWindow } from './receive-window.ts'
import type { Http2Request } from './request.ts'
import type { Source } from './sender.ts'
import { sinkOf } from './sink.ts'

/** What a stream needs of its connection. */
export interface StreamHost {
  sendHead(stream: number, status: number, headers: string[], end: boolean): void
  serve(stream: Http2Stream): void
  reset(stream: number, code: number): void
  /** Asks the client to go. */
  leave(): void
  /** The stream is over, on both sides. */
  gone(stream: Http2Stream): void
}

/** Unsent bytes from which a writer should wait. */
const HIGH_WATER = 64 * 1024

/** One stream of a connection: the answer to its request. */
export class Http2Stream implements Source {
  readonly id: number
  window: number
  queued = 0
  ending = false
  ready = false
  request: Http2Request | undefined
  /** What the peer may send. */
  readonly receiving: ReceiveWindow
  /** Bytes of the body that were announced and have not come; undefined: not announced. */
  private expected: number | undefined
  /** Of the request's head. */
  headBytes = 0
  /** The peer has sent its last frame. */
  remoteEnded = false
  closed = false
  private readonly host: StreamHost
  private queue: Buffer[] = []
  /** Of each of these, or undefined. */
  private whenTaken: ((() => void) | undefined)[] = []
  /** Bytes of the first buffer that are sent. */
  private offset = 0
  /** Bytes were sent since the last look. */
  private moved = false
  private stalledSince = 0
  private closeListeners: (() => void)[] = []
  private drainListeners: (() => void)[] = []

  constructor(id: number, host: StreamHost, window: number, receiving: ReceiveWindow) {
    this.id = id
    this.host = host
    this.window = window
    this.receiving = receiving
  }

  /** The request has so many bytes, by its head; undefined: that is not said. */
  expect(bytes: number | undefined): void {
    this.expected = bytes
  }

  /** Bytes of the body have come. False: more than were announced. */
  counts(bytes: number): boolean {
    if (this.expected === undefined) return true
    this.expected -= bytes
    return this.expected >= 0
  }

  /** The peer has sent its last frame. False: less of the body has come than was announced. */
  endsRemote(): boolean {
    this.remoteEnded = true
    return this.expected === undefined || this.expected <= 0
  }

  // ── What is asked of a response ──

  get destroyed(): boolean {
    return this.closed
  }

  get writableEnded(): boolean {
    return this.ending || this.closed
  }

  head(status: number, headers: string[], length: number | undefined): void {
    if (length !== undefined) headers.push('content-length', String(length))
    this.sendHead(status, headers, false)
  }

  whole(status: number, headers: string[], body: Buffer): void {
    headers.push('content-length', String(body.length))
    this.sendHead(status, headers, body.length === 0)
    if (body.length === 0) return
    this.write(body)
    this.end()
  }

  bodiless(status: number, headers: string[], length: number | undefined): void {
    if (length !== undefined) headers.push('content-length', String(length))
    this.sendHead(status, headers, true)
  }

  private sendHead(status: number, headers: string[], end: boolean): void {
    if (this.closed) return
    this.host.sendHead(this.id, status, headers, end)
    if (end) this.sent()
  }

  write(chunk: Buffer, taken?: () => void): boolean {
    if (this.closed || this.ending) return false
    if (chunk.length > 0) {
      this.queue.push(chunk)
      this.whenTaken.push(taken)
      this.queued += chunk.length
      this.host.serve(this)
    }
    return !this.needsDrain
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
    if (this.closed || this.ending) return
    this.ending = true
    this.host.serve(this)
  }

  destroy(): void {
    this.reset(ErrorCode.cancel)
  }

  leaveConnection(): void {
    this.host.leave()
  }

  get unwritten(): number {
    return this.queued
  }

  get needsDrain(): boolean {
    return this.queued > HIGH_WATER
  }

  /** What else comes of the request's body is dropped when the answer is complete. */
  discardBody(): void {
    this.request?.resume()
  }

  onClose(listener: () => void): void {
    if (this.closed) nextTick(listener)
    else this.closeListeners.push(listener)
  }

  onDrain(listener: () => void): void {
    this.drainListeners.push(listener)
  }

  offDrain(listener: () => void): void {
    const at = this.drainListeners.indexOf(listener)
    if (at >= 0) this.drainListeners.splice(at, 1)
  }

  sink(): Writable {
    return sinkOf(this)
  }

  // ── What its connection does with it ──

  take(into: Buffer, at: number, bytes: number): void {
    let to = at
    for (let left = bytes; left > 0; ) {
      const first = this.queue[0]
      invariant(first, 'no more is taken than is queued')
      const taken = Math.min(left, first.length - this.offset)
      first.copy(into, to, this.offset, this.offset + taken)
      to += taken
      left -= taken
      this.offset += taken
      if (this.offset === first.length) {
        this.queue.shift()
        this.offset = 0
        this.whenTaken.shift()?.()
      }
    }
    this.queued -= bytes
    this.moved = true
  }

  /** Milliseconds for which the peer is seen to have taken nothing of what waits; 0 where nothing does. */
  stalledFor(now: number): number {
    const moves = this.moved || this.queued === 0
    this.moved = false
    if (moves || this.stalledSince === 0) this.stalledSince = now
    return this.queued === 0 ? 0 : now - this.stalledSince
  }

  /** The end is on its way. A client that has not ended gets RST_STREAM: the rest of its body is not read. */
  sent(): void {
    if (!this.remoteEnded) this.host.reset(this.id, ErrorCode.none)
    this.close()
  }

  emptied(): void {
    if (this.drainListeners.length === 0) return
    const listeners = this.drainListeners
    this.drainListeners = []
    for (const listener of listeners) listener()
  }

  /** False where the window would be larger than may be. */
  widen(bytes: number): boolean {
    this.window += bytes
    if (this.window > MAX_31_BITS) return false
    if (this.queued > 0) this.host.serve(this)
    return true
  }

  /** Resets the stream with a code. */
  reset(code: number): void {
    if (this.closed) return
    this.host.reset(this.id, code)
    this.close()
  }

  /** Both sides are done with it, or one of them gave it up. */
  close(): void {
    if (this.closed) return
    this.closed = true
    this.queue = []
    this.whenTaken = []
    this.queued = 0
    this.ending = false
    this.host.gone(this)
    this.request?.destroy()
    const listeners = [...this.closeListeners, ...this.drainListeners]
    this.closeListeners = []
    this.drainListeners = []
    // In a turn of its own: who closes it is in the middle of something.
    if (listeners.length > 0)
      nextTick(() => {
        for (const listener of listeners) listener()
      })
  }
}
