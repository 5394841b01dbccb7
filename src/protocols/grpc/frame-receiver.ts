import { Conduct } from '../http2/conduct.ts'
import { ConnectionError, ErrorCode } from '../http2/errors.ts'
import { Flag, type Frame, FrameReader, FrameType, fragmentOf, frameOf, MAX_31_BITS, numbersFrame, readSettings, Setting } from '../http2/frames.ts'
import { MAX_SETTINGS } from '../http2/limits.ts'
import { RENEW_AFTER, type SilenceLimits } from './limits.ts'
import type { RequestSender } from './request-sender.ts'

const LONGEST_HEADERS = 64 * 1024
/** Frames of one block of headers: each is joined to those before. */
const MOST_CONTINUATIONS = 16
const PING_DATA = Buffer.from('keep up!')

/** Reads the frames of a connection's streams. Methods may throw a ConnectionError. */
export interface StreamFrames {
  data(frame: Frame): void
  /** A complete block of headers. `flags`: of its first frame. */
  headers(flags: number, stream: number, block: Buffer): void
  reset(stream: number, code: number): void
  /** The server accepts no streams after `last`. */
  goAway(last: number): void
  /** The windows are in force and the frame is acknowledged. `mostStreams` is undefined if the frame does not limit them. */
  settings(mostStreams: number | undefined): void
  /** More may be sent on the connection. */
  widened(): void
}

/** The receiving side of a connection: passes on the frames of streams, responds to the others, and keeps within bounds what the server may send. */
export class FrameReceiver {
  readonly #sender: RequestSender
  readonly #streams: StreamFrames
  readonly #reader = new FrameReader()
  /** Frames that serve no call are counted. */
  readonly conduct = new Conduct()
  #received = 0
  /** Headers whose end has not come. */
  #open: { readonly stream: number; readonly flags: number; block: Buffer; frames: number } | undefined
  #heard = performance.now()
  #asked = 0
  #isOver = false

  constructor(sender: RequestSender, streams: StreamFrames) {
    this.#sender = sender
    this.#streams = streams
  }

  /** Throws a ConnectionError if the connection cannot go on. */
  read(bytes: Buffer): void {
    this.wait()
    this.#reader.read(bytes, this.#take)
  }

  /** Passes on no more frames. */
  end(): void {
    this.#isOver = true
  }

  /** Begins to wait for the server anew. */
  wait(): void {
    this.#heard = performance.now()
    this.#asked = 0
  }

  /** Reports whether the server is silent although it was pinged; pings it when it is due. */
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
        // Unknown frames are passed over.
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
    // Some servers hold to the new windows only once they are acknowledged.
    this.#sender.write(frameOf(FrameType.settings, Flag.ack, 0, Buffer.alloc(0)))
    let mostStreams: number | undefined
    for (const [id, value] of settings) {
      if (id === Setting.initialWindowSize) this.#sender.resizeStreams(value)
      else if (id === Setting.maxConcurrentStreams) mostStreams = value
    }
    this.#streams.settings(mostStreams)
  }
}

/** The number that a payload begins with. */
function numberIn(payload: Buffer): number {
  if (payload.length < 4) throw new ConnectionError(ErrorCode.protocol, 'a frame is too short')
  return payload.readUInt32BE()
}
