import { PacedParser } from '../../lib/paced-reading.ts'
import { FLAG_FIN, FRAME_HEAD_BYTES, GOAWAY, HEADERS, PING, RST_STREAM, SYN_REPLY, SYN_STREAM } from './frames.ts'

/** SPDY/3.1 has the version 3 in its frames. */
const VERSION = 3
/** Maximum length of the fixed part of a control frame that is read. */
const MAX_FIXED_BYTES = 8

/** Handles frames. */
export interface FrameSink {
  /** Called with data of a stream. A frame can be passed on in several pieces. */
  data(streamId: number, bytes: Buffer, fin: boolean): void
  /** Called for a SYN_STREAM frame. Its headers follow with `rest`. */
  opened(streamId: number): void
  /** Called for a SYN_REPLY frame. `fin`: the other side sends no data on the stream. */
  replied(streamId: number, fin: boolean): void
  /** Called for a RST_STREAM frame, whatever its status. */
  reset(streamId: number): void
  /** Called with the ID, which a reply repeats. */
  ping(id: number): void
  /** Called when the other side accepts no more streams. */
  goAway(): void
  /**
   * Optional. Called with the pieces of a control frame behind its first 16 bytes. For an opened stream they are two
   * bytes of its priority and the header block. If omitted, header blocks are skipped.
   */
  rest?(bytes: Buffer, isLast: boolean): void
  /** A frame of another type. */
  other(): void
  /** The other side violated the protocol. No more is read. */
  violation(why: string): void
}

/** Reads frames of SPDY/3.1. Buffers at most the first 16 bytes of a frame. */
export class FrameReader extends PacedParser {
  readonly #sink: FrameSink
  /** State of the current data frame. */
  #streamId = 0
  #fin = false
  #dataLeft = 0
  /** Unread bytes of the current control frame. */
  #skip = 0

  constructor(sink: FrameSink) {
    super()
    this.#sink = sink
  }

  protected step(bytes: Buffer): number | undefined {
    if (this.#skip > 0) {
      const passed = Math.min(this.#skip, bytes.length)
      this.#skip -= passed
      this.#sink.rest?.(passed === bytes.length ? bytes : bytes.subarray(0, passed), this.#skip === 0)
      return passed
    }
    if (this.#dataLeft > 0) return this.#takeData(bytes)
    if (bytes.length < FRAME_HEAD_BYTES) return undefined
    const first = bytes.readUInt32BE(0)
    const length = bytes.readUInt32BE(4) & 0xffffff
    const fin = (bytes.readUInt8(4) & FLAG_FIN) !== 0
    if ((first & 0x80000000) !== 0) return this.#takeControl(bytes, (first >>> 16) & 0x7fff, first & 0xffff, length, fin)
    this.#streamId = first
    this.#fin = fin
    this.#dataLeft = length
    if (length === 0) this.#sink.data(first, Buffer.alloc(0), fin)
    return FRAME_HEAD_BYTES
  }

  /** Passes on a piece of a data frame. Only the last piece has the flag. */
  #takeData(bytes: Buffer): number {
    const piece = bytes.length > this.#dataLeft ? bytes.subarray(0, this.#dataLeft) : bytes
    this.#dataLeft -= piece.length
    this.#sink.data(this.#streamId, piece, this.#fin && this.#dataLeft === 0)
    return piece.length
  }

  /** Takes the fixed part of a control frame, once it is complete. The rest is passed on in pieces. */
  #takeControl(bytes: Buffer, version: number, type: number, length: number, fin: boolean): number | undefined {
    if (version !== VERSION) return this.#violate(bytes, `version ${version} of SPDY`)
    const fixed = Math.min(length, MAX_FIXED_BYTES)
    if (bytes.length < FRAME_HEAD_BYTES + fixed) return undefined
    if (length < fixedBytes(type)) return this.#violate(bytes, `a frame of type ${type} with ${length} bytes`)
    this.#skip = length - fixed
    const id = fixed >= 4 ? bytes.readUInt32BE(FRAME_HEAD_BYTES) & 0x7fffffff : 0
    this.#emit(type, id, fin, bytes)
    return FRAME_HEAD_BYTES + fixed
  }

  #emit(type: number, id: number, fin: boolean, bytes: Buffer): void {
    const sink = this.#sink
    if (type === SYN_STREAM) sink.opened(id)
    else if (type === SYN_REPLY) sink.replied(id, fin)
    else if (type === RST_STREAM) sink.reset(id)
    else if (type === HEADERS && fin) sink.data(id, Buffer.alloc(0), true)
    else if (type === PING) sink.ping(bytes.readUInt32BE(FRAME_HEAD_BYTES))
    else if (type === GOAWAY) sink.goAway()
    else sink.other()
  }

  /** Stops reading. The bytes count as read, so that they are not offered again. */
  #violate(bytes: Buffer, why: string): number {
    this.stop()
    this.#sink.violation(why)
    return bytes.length
  }
}

/** Returns the length of the part before the header block. */
function fixedBytes(type: number): number {
  if (type === RST_STREAM || type === GOAWAY) return 8
  if (type === SYN_STREAM) return 10
  return type === SYN_REPLY || type === HEADERS || type === PING ? 4 : 0
}
