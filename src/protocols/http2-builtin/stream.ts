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

/** The memory of what could not be written is left alone. */
const unlessFailed = (taken: () => void) => (error?: Error | null) => {
  if (!error) taken()
}

/** One stream of a session of Node's: the answer to its request. */
export class BuiltinStream {
  request: Http2Request | undefined
  /** Of the request's head. */
  headBytes = 0
  /** The peer has sent its last frame. */
  remoteEnded = false
  /** Bytes of the request's body that wait for its reader. */
  unread = 0
  closed = false
  private readonly stream: ServerHttp2Stream
  private readonly leave: () => void
  private ending = false
  /** What waited at the last look. */
  private waited = 0
  private readonly progress = new Progress()
  private closeListeners: (() => void)[] = []

  /** `leave` asks the client of its connection to go. */
  constructor(stream: ServerHttp2Stream, leave: () => void) {
    this.stream = stream
    this.leave = leave
    const close = (): void => this.close()
    // `aborted` comes before `close`, and alone where the client gives up without an error.
    stream.on('close', close).on('aborted', close)
    // What a failure means for the stream is reported by its end.
    stream.on('error', () => {})
  }

  get destroyed(): boolean {
    return this.closed
  }

  get writableEnded(): boolean {
    return this.ending || this.closed
  }

  head(status: number, headers: string[], length: number | undefined): void {
    if (length !== undefined) headers.push('content-length', String(length))
    this.respond(status, headers, false)
  }

  whole(status: number, headers: string[], body: Buffer): void {
    headers.push('content-length', String(body.length))
    this.respond(status, headers, body.length === 0)
    if (body.length === 0 || this.closed) return
    this.ending = true
    this.stream.end(body)
  }

  bodiless(status: number, headers: string[], length: number | undefined): void {
    if (length !== undefined) headers.push('content-length', String(length))
    this.respond(status, headers, true)
  }

  private respond(status: number, headers: string[], endStream: boolean): void {
    if (this.closed) return
    // Node ends the answer to a HEAD before anybody has seen its request.
    if (this.stream.writableFinished) nextTick(this.finished)
    else this.stream.once('finish', this.finished)
    this.stream.respond(responseHeaders(status, headers), { endStream })
    if (endStream) this.ending = true
  }

  /** All is sent. A client that has not ended gets RST_STREAM: the rest of its body is not read. */
  private readonly finished = (): void => {
    if (!this.remoteEnded && !this.closed) this.stream.close(ErrorCode.none)
    this.close()
  }

  write(chunk: Buffer, taken?: () => void): boolean {
    if (this.closed || this.ending) return false
    return taken === undefined ? this.stream.write(chunk) : this.stream.write(chunk, unlessFailed(taken))
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
    this.stream.end()
  }

  destroy(): void {
    this.reset(ErrorCode.cancel)
  }

  /** Resets the stream with a code. */
  reset(code: number): void {
    if (this.closed) return
    this.stream.close(code)
    this.close()
  }

  leaveConnection(): void {
    this.leave()
  }

  get unwritten(): number {
    return this.closed ? 0 : this.stream.writableLength
  }

  get needsDrain(): boolean {
    return !this.closed && this.stream.writableNeedDrain
  }

  /** Whether the peer takes nothing of what waits, seen write by write: Node reports no other progress. */
  isStalled(now: number, { stalledMs, stalledStreamMs }: ConnectionLimits): boolean {
    const { unwritten } = this
    const stalledFor = this.progress.stalledFor(now, unwritten > 0, unwritten !== this.waited)
    this.waited = unwritten
    return stalledFor > (this.ending ? stalledMs : stalledStreamMs)
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
    this.stream.once('drain', listener)
  }

  offDrain(listener: () => void): void {
    this.stream.off('drain', listener)
  }

  sink(): Writable {
    return sinkOf(this)
  }

  /** Both sides are done with it, or one of them gave it up. */
  private close(): void {
    if (this.closed) return
    this.closed = true
    this.request?.destroy()
    const listeners = this.closeListeners
    this.closeListeners = []
    // In a turn of its own: who closes it is in the middle of something.
    if (listeners.length > 0)
      nextTick(() => {
        for (const listener of listeners) listener()
      })
  }
}
