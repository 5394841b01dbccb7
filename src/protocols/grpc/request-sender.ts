import type { Socket } from 'node:net'
import { joinBuffers } from '../../lib/join-buffers.ts'
import { ConnectionError, ErrorCode } from '../http2/errors.ts'
import {
  Flag,
  FRAME_BYTES,
  FrameType,
  frameOf,
  INITIAL_WINDOW,
  MAX_31_BITS,
  numbersFrame,
  PREFACE,
  Setting,
  settingsFrame,
} from '../http2/frames.ts'
import { PREFIX_BYTES, prefixed, requestFrames, requestHeaders } from './unary.ts'

/** Requests up to this size are sent as a whole. They fit into the smallest windows that servers use. */
const LONGEST_WHOLE = 32 * 1024
/** Limit for acknowledgements that the server does not read, and for queued messages of a stream, in bytes. */
const MAX_UNWRITTEN = 64 * 1024

/** A request that is sent in pieces as the windows allow. */
interface LongRequest {
  rest: Buffer
  /** Remaining window of the stream. */
  window: number
  /** Whether more messages may follow. */
  isOpen: boolean
}

/** Sending side of a connection: requests, within the server's windows, and other frames. */
export class RequestSender {
  readonly #socket: Socket
  /** Remaining window of the connection, and initial window of new streams. */
  #window = INITIAL_WINDOW
  #streamWindow = INITIAL_WINDOW
  /** Long requests by stream id, oldest first. */
  readonly #long = new Map<number, LongRequest>()
  #out: Buffer[] = []

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /**
   * Sends the preface and settings.
   * @param streamWindow bytes that the server may send on a stream before it receives a WINDOW_UPDATE. The window of
   * the connection is unlimited.
   */
  open(streamWindow: number): void {
    const settings = settingsFrame([
      [Setting.headerTableSize, 0],
      [Setting.enablePush, 0],
      [Setting.initialWindowSize, streamWindow],
    ])
    this.write(Buffer.concat([PREFACE, settings, numbersFrame(FrameType.windowUpdate, 0, MAX_31_BITS - INITIAL_WINDOW)]))
  }

  /** Reports whether a request with this message can be started. */
  hasRoomFor(message: Buffer): boolean {
    const bytes = PREFIX_BYTES + message.length
    return this.#isLong(bytes) ? this.#window > 0 : bytes <= this.#window
  }

  #isLong(bytes: number): boolean {
    return bytes > LONGEST_WHOLE || bytes > this.#streamWindow
  }

  /**
   * Sends a request, as a whole if it is short.
   * @param head encoded headers of the method.
   */
  send(stream: number, head: Buffer, timeoutMs: number, message: Buffer): void {
    const bytes = PREFIX_BYTES + message.length
    if (this.#isLong(bytes)) {
      this.write(requestHeaders(head, timeoutMs, stream))
      const request = { rest: prefixed(message), window: this.#streamWindow, isOpen: false }
      this.#long.set(stream, request)
      this.#sendOn(stream, request)
      return
    }
    this.#window -= bytes
    this.write(requestFrames(head, timeoutMs, stream, message))
  }

  #sendOn(stream: number, request: LongRequest): void {
    while (request.rest.length > 0) {
      const size = Math.min(FRAME_BYTES, request.rest.length, this.#window, request.window)
      if (size <= 0) return
      const part = request.rest.subarray(0, size)
      request.rest = request.rest.subarray(size)
      request.window -= size
      this.#window -= size
      this.write(frameOf(FrameType.data, request.rest.length === 0 && !request.isOpen ? Flag.endStream : Flag.none, stream, part))
    }
    if (!request.isOpen) this.#long.delete(stream)
  }

  /**
   * Starts a streaming request.
   * @param head encoded headers of the method.
   */
  begin(stream: number, head: Buffer): void {
    this.write(frameOf(FrameType.headers, Flag.endHeaders, stream, head))
    this.#long.set(stream, { rest: Buffer.alloc(0), window: this.#streamWindow, isOpen: true })
  }

  /**
   * Queues a message of a streaming request, and sends it as the windows allow. Returns false, without queueing it, if
   * too many bytes are queued. `isLast`: no message follows.
   */
  sendMore(stream: number, message: Buffer, isLast = false): boolean {
    const request = this.#long.get(stream)
    if (request === undefined || request.rest.length > MAX_UNWRITTEN) return false
    request.isOpen = !isLast
    request.rest = Buffer.concat([request.rest, prefixed(message)])
    this.#sendOn(stream, request)
    return true
  }

  /** Grows the window of the connection (stream 0) or of a stream. */
  widen(stream: number, bytes: number): void {
    if (stream === 0) {
      this.#window = grown(this.#window, bytes)
      for (const [id, request] of this.#long) this.#sendOn(id, request)
      return
    }
    const request = this.#long.get(stream)
    // A request that was sent as a whole fits into the initial window, so its stream needs no window.
    if (request === undefined) return
    request.window = grown(request.window, bytes)
    this.#sendOn(stream, request)
  }

  /**
   * Changes the initial window of streams, which also changes the windows of open streams (RFC 9113, section 6.9.2).
   */
  resizeStreams(window: number): void {
    if (window > MAX_31_BITS) throw new ConnectionError(ErrorCode.flowControl, 'a window is too large')
    const growth = window - this.#streamWindow
    this.#streamWindow = window
    for (const [id, request] of this.#long) {
      request.window = grown(request.window, growth)
      this.#sendOn(id, request)
    }
  }

  /** Stops sending a request. Returns whether it was not completely sent. */
  forget(stream: number): boolean {
    return this.#long.delete(stream)
  }

  /** Queues a frame. Frames of one turn are written together. */
  write(frame: Buffer): void {
    if (this.#out.push(frame) === 1) setImmediate(() => this.#flush())
  }

  acknowledge(frame: Buffer): void {
    if (this.#socket.writableLength <= MAX_UNWRITTEN) this.write(frame)
  }

  #flush(): void {
    const out = this.#out
    this.#out = []
    if (!this.#socket.destroyed) this.#socket.write(joinBuffers(out))
  }
}

function grown(window: number, bytes: number): number {
  if (window + bytes > MAX_31_BITS) throw new ConnectionError(ErrorCode.flowControl, 'a window is too large')
  return window + bytes
}
