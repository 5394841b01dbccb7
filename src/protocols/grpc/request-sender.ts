import type { Socket } from 'node:net'
import { joinBuffers } from '../../lib/join-buffers.ts'
import { ConnectionError, ErrorCode } from '../http2/errors.ts'
import { Flag, FRAME_BYTES, FrameType, frameOf, INITIAL_WINDOW, MAX_31_BITS, numbersFrame, PREFACE, Setting, settingsFrame } from '../http2/frames.ts'
import { PREFIX_BYTES, prefixed, requestFrames, requestHeaders } from './unary.ts'

/** A request of this size is sent as a whole: it finds room in the smallest window that a server may have and renew. */
const LONGEST_WHOLE = 32 * 1024
/** A server that reads no acknowledgements, or takes no messages of a stream, gets no more of them. */
const MAX_UNWRITTEN = 64 * 1024

/** A request that is sent as the windows allow. */
interface LongRequest {
  rest: Buffer
  /** Of its stream. */
  window: number
  /** Other messages may follow. */
  readonly isOpen: boolean
}

/** The sending side of a connection: requests within the windows of the server, and other frames. */
export class RequestSender {
  readonly #socket: Socket
  /** Bytes that may be sent on the connection, and on each new stream. */
  #window = INITIAL_WINDOW
  #streamWindow = INITIAL_WINDOW
  /** By the ids of their streams, oldest first. */
  readonly #long = new Map<number, LongRequest>()
  #out: Buffer[] = []

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Begins the connection. `streamWindow`: bytes that the server may send on a stream before some are confirmed; the connection as a whole has no other bound. */
  open(streamWindow: number): void {
    const settings = settingsFrame([
      [Setting.headerTableSize, 0],
      [Setting.enablePush, 0],
      [Setting.initialWindowSize, streamWindow],
    ])
    this.write(Buffer.concat([PREFACE, settings, numbersFrame(FrameType.windowUpdate, 0, MAX_31_BITS - INITIAL_WINDOW)]))
  }

  /** Whether a request with this message may begin. */
  hasRoomFor(message: Buffer): boolean {
    const bytes = PREFIX_BYTES + message.length
    return this.#isLong(bytes) ? this.#window > 0 : bytes <= this.#window
  }

  #isLong(bytes: number): boolean {
    return bytes > LONGEST_WHOLE || bytes > this.#streamWindow
  }

  /** Sends a request, as a whole if it is short. `head`: of its method. */
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

  /** Begins a request of any number of messages, which has no end. `head`: of its method. */
  begin(stream: number, head: Buffer): void {
    this.write(frameOf(FrameType.headers, Flag.endHeaders, stream, head))
    this.#long.set(stream, { rest: Buffer.alloc(0), window: this.#streamWindow, isOpen: true })
  }

  /** Sends another message of such a request as the windows allow. Returns false, and sends none, if too many wait for that. */
  sendMore(stream: number, message: Buffer): boolean {
    const request = this.#long.get(stream)
    if (request === undefined || request.rest.length > MAX_UNWRITTEN) return false
    request.rest = Buffer.concat([request.rest, prefixed(message)])
    this.#sendOn(stream, request)
    return true
  }

  /** The server takes so many bytes more, of the connection (0) or of a stream. */
  widen(stream: number, bytes: number): void {
    if (stream === 0) {
      this.#window = grown(this.#window, bytes)
      for (const [id, request] of this.#long) this.#sendOn(id, request)
      return
    }
    const request = this.#long.get(stream)
    // What is sent as a whole is within the first window of its stream.
    if (request === undefined) return
    request.window = grown(request.window, bytes)
    this.#sendOn(stream, request)
  }

  /** The server has another first window for streams, which changes those of streams that are open. */
  resizeStreams(window: number): void {
    if (window > MAX_31_BITS) throw new ConnectionError(ErrorCode.flowControl, 'a window is too large')
    const growth = window - this.#streamWindow
    this.#streamWindow = window
    for (const [id, request] of this.#long) {
      request.window = grown(request.window, growth)
      this.#sendOn(id, request)
    }
  }

  /** Sends no more of a request. Returns whether its end was still to be sent. */
  forget(stream: number): boolean {
    return this.#long.delete(stream)
  }

  /** Frames of one turn leave together. */
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
