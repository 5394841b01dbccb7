import { ConnectionError, ErrorCode } from '../http2/errors.ts'
import { FrameLimits } from '../http2/frame-limits.ts'
import {
  Flag,
  type Frame,
  FrameReader,
  FrameType,
  fragmentOf,
  frameOf,
  MAX_31_BITS,
  numbersFrame,
  readSettings,
  Setting,
} from '../http2/frames.ts'
import { MAX_SETTINGS } from '../http2/limits.ts'
import { RENEW_AFTER, type SilenceLimits } from './limits.ts'
import type { RequestSender } from './request-sender.ts'

const LONGEST_HEADERS = 64 * 1024
/** Limit for the CONTINUATION frames of a header block, each of which is concatenated with those before. */
const MOST_CONTINUATIONS = 16
const PING_DATA = Buffer.from('keep up!')

/** Handles the frames of a connection's streams. Methods may throw a ConnectionError. */
export interface StreamFrames {
  data(frame: Frame): void
  /** Called with a complete header block and the flags of its HEADERS frame. */
  headers(flags: number, stream: number, block: Buffer): void
  reset(stream: number, code: number): void
  /** The server accepts no streams with an id greater than `last`. */
  goAway(last: number): void
  /**
   * Called after the new windows apply and the frame is acknowledged. `mostStreams` is undefined if the frame does not
   * set it.
   */
  settings(mostStreams: number | undefined): void
  /** The window of the connection has grown. */
  widened(): void
}

/**
 * Receiving side of a connection. Passes on the frames of streams, responds to connection frames, and enforces limits
 * on the server.
 */
export class FrameReceiver {
  readonly #sender: RequestSender
  readonly #streams: StreamFrames
  readonly #reader = new FrameReader()
  /** Counts frames that serve no call. */
  readonly conduct = new FrameLimits()
  #received = 0
  /** Header block whose END_HEADERS flag has not been received. */
  #open: { readonly stream: number; readonly flags: number; block: Buffer; frames: number } | undefined
  #heard = performance.now()
  #asked = 0
  #isOver = false

  constructor(sender: RequestSender, streams: StreamFrames) {
    this.#sender = sender
    this.#streams = streams
  }

  /** Reads bytes of the socket. Throws a ConnectionError if the connection must be closed. */
  read(bytes: Buffer): void {
    this.wait()
    this.#reader.read(bytes, this.#take)
  }

  /** Stops passing on frames. */
  end(): void {
    this.#isOver = true
  }

  /** Restarts the silence timer. */
  wait(): void {
    this.#heard = performance.now()
    this.#asked = 0
  }

  /** Reports whether the server has not responded to a ping in time. Pings it if it has been silent for `quietMs`. */
  isSilent({ quietMs, signMs }: SilenceLimits): boolean {
    const now = performance.now()
    if (this.#asked > 0) return now - this.#asked > signMs
    if (now - this.#heard > quietMs) {
      this.#asked = now
      this.#sender.write(frameOf(FrameType.ping, 0, 0, PING_DATA))
    }
    return false
  }

  /** Counts a frame that serves no call. Throws a ConnectionError if there are too many. */
  idleFrame(): void {
    this.conduct.idleFrame(0, 0)
  }

  readonly #take = (frame: Frame): void => {
    const { type, flags, stream, payload } = frame
    if (this.#isOver) return
    if (this.#open !== undefined && type !== FrameType.continuation) throw new ConnectionError(ErrorCode.protocol, 'headers without an end')
    switch (type) {
      case FrameType.data:
        this.#renew(payload.length)
        this.#streams.data(frame)
        break
      case FrameType.headers:
        this.#headers(flags, stream, fragmentOf(frame))
        break
      case FrameType.continuation:
        this.#continuation(flags, stream, payload)
        break
      case FrameType.reset:
        this.#streams.reset(stream, numberIn(payload))
        break
      case FrameType.settings:
        this.idleFrame()
        if ((flags & Flag.ack) === 0) this.#settings(frame)
        break
      case FrameType.ping:
        this.idleFrame()
        if ((flags & Flag.ack) === 0) this.#sender.acknowledge(frameOf(FrameType.ping, Flag.ack, 0, payload))
        break
      case FrameType.goAway:
        this.idleFrame()
        this.#streams.goAway(numberIn(payload) & MAX_31_BITS)
        break
      case FrameType.windowUpdate:
        this.idleFrame()
        this.#sender.widen(stream, numberIn(payload) & MAX_31_BITS)
        if (stream === 0) this.#streams.widened()
        break
      case FrameType.push:
        throw new ConnectionError(ErrorCode.protocol, 'a push that was not allowed')
      default:
        // Frames of unknown types are ignored (RFC 9113, section 4.1).
        this.idleFrame()
    }
  }

  #renew(bytes: number): void {
    this.#received += bytes
    if (this.#received < RENEW_AFTER) return
    this.#sender.write(numbersFrame(FrameType.windowUpdate, 0, this.#received))
    this.#received = 0
  }

  #headers(flags: number, stream: number, block: Buffer): void {
    if ((flags & Flag.endHeaders) === 0) this.#open = { stream, flags, block, frames: 0 }
    else this.#streams.headers(flags, stream, block)
  }

  #continuation(flags: number, stream: number, payload: Buffer): void {
    const open = this.#open
    if (open === undefined || open.stream !== stream) throw new ConnectionError(ErrorCode.protocol, 'a continuation of nothing')
    if (open.block.length + payload.length > LONGEST_HEADERS || ++open.frames > MOST_CONTINUATIONS)
      throw new ConnectionError(ErrorCode.protocol, 'headers are too long')
    open.block = Buffer.concat([open.block, payload])
    if ((flags & Flag.endHeaders) === 0) return
    this.#open = undefined
    this.#streams.headers(open.flags, stream, open.block)
  }

  #settings(frame: Frame): void {
    const settings = readSettings(frame)
    if (settings.length > MAX_SETTINGS) throw new ConnectionError(ErrorCode.calm, 'there are too many settings')
    // Some servers apply the new windows only after the acknowledgement.
    this.#sender.write(frameOf(FrameType.settings, Flag.ack, 0, Buffer.alloc(0)))
    let mostStreams: number | undefined
    for (const [id, value] of settings) {
      if (id === Setting.initialWindowSize) this.#sender.resizeStreams(value)
      else if (id === Setting.maxConcurrentStreams) mostStreams = value
    }
    this.#streams.settings(mostStreams)
  }
}

/** Returns the 32-bit number at the beginning of a payload. */
function numberIn(payload: Buffer): number {
  if (payload.length < 4) throw new ConnectionError(ErrorCode.protocol, 'a frame is too short')
  return payload.readUInt32BE()
}
