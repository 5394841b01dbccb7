import { ConnectionError, ErrorCode } from './errors.ts'
import { INITIAL_WINDOW } from './frames.ts'
import type { ConnectionLimits } from './limits.ts'
import { ReceiveWindow } from './receive-window.ts'
import { Http2Stream, type StreamHost } from './stream.ts'

/** Open streams of a connection, the id of its latest stream, and the initial window that the client sets. */
export class OpenStreams {
  readonly #host: StreamHost
  readonly #limits: ConnectionLimits
  readonly #widen: (id: number, bytes: number) => void
  readonly #streams = new Map<number, Http2Stream>()
  #last = 0
  /** Initial window of new streams, as set by the client. */
  #window = INITIAL_WINDOW

  /** @param widen sends a WINDOW_UPDATE of a stream. */
  constructor(host: StreamHost, limits: ConnectionLimits, widen: (id: number, bytes: number) => void) {
    this.#host = host
    this.#limits = limits
    this.#widen = widen
  }

  /** Number of open streams. */
  get size(): number {
    return this.#streams.size
  }

  /** Id of the latest stream, even if it was refused. 0 if there is none. */
  get last(): number {
    return this.#last
  }

  /** Response bytes that are not sent. */
  get queued(): number {
    let bytes = 0
    for (const stream of this.#streams.values()) bytes += stream.queued
    return bytes
  }

  /** Whether a response waits for its window. */
  get isWaiting(): boolean {
    for (const stream of this.#streams.values()) if (stream.queued > 0) return true
    return false
  }

  /** Returns an open stream. Undefined if it is closed, was refused, or has not begun. */
  get(id: number): Http2Stream | undefined {
    return this.#streams.get(id)
  }

  /** Checks that a stream has begun. Throws a ConnectionError. */
  checkBegun(id: number): void {
    if (id > this.#last || id % 2 === 0) throw new ConnectionError(ErrorCode.protocol, 'the stream has not begun')
  }

  /** Records the id of the latest stream, whether or not it is refused. Throws a ConnectionError if it has begun. */
  begin(id: number): void {
    if (id <= this.#last) throw new ConnectionError(ErrorCode.streamClosed, 'a stream begins again')
    this.#last = id
  }

  /** Opens the stream of a request. `headBytes`: size of its head. `remoteEnded`: whether it has no body. */
  open(id: number, headBytes: number, remoteEnded: boolean): Http2Stream {
    const receiving = new ReceiveWindow(this.#limits.streamWindow, bytes => this.#widen(id, bytes))
    const stream = new Http2Stream(id, this.#host, this.#window, receiving)
    stream.remoteEnded = remoteEnded
    stream.headBytes = headBytes
    this.#streams.set(id, stream)
    return stream
  }

  /** Removes a stream that has ended. */
  remove(id: number): void {
    this.#streams.delete(id)
  }

  /** Sets the initial window. Open streams change by the difference. Throws a ConnectionError if one is too large. */
  setWindow(value: number): void {
    const change = value - this.#window
    this.#window = value
    for (const stream of this.#streams.values())
      if (!stream.widen(change)) throw new ConnectionError(ErrorCode.flowControl, 'the window of a stream is too large')
  }

  /** Resets streams that exceed a time limit. `now`: milliseconds of a monotonic clock. */
  resetStalled(now: number): void {
    const { stalledMs, stalledStreamMs } = this.#limits
    for (const stream of [...this.#streams.values()]) {
      const stalled = stream.stalledFor(now)
      if (stalled > stalledMs && (stream.ending || stalled > stalledStreamMs)) stream.reset(ErrorCode.cancel)
    }
  }

  /** Closes all streams. */
  close(): void {
    for (const stream of [...this.#streams.values()]) stream.close()
  }
}
