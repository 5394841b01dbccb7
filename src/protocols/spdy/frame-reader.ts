import { PacedParser } from '../../lib/paced-reading.ts'
import { FLAG_FIN, FRAME_HEAD_BYTES, GOAWAY, HEADERS, PING, RST_STREAM, SYN_REPLY, SYN_STREAM } from './frames.ts'

const VERSION = 3
/** Of a control frame: its fixed part, which is all that is read of it. */
const MAX_FIXED_BYTES = 8

/** What the other side says. Header blocks are not among it: nothing depends on them. */
export interface FrameSink {
  /** Bytes of a stream as they come: a frame comes in several pieces. */
  data(streamId: number, bytes: Buffer, fin: boolean): void
  opened(streamId: number): void
  replied(streamId: number, fin: boolean): void
  reset(streamId: number): void
  ping(id: number): void
  goAway(): void
  /** A frame of another type, which is passed over. */
  other(): void
  /** The other side broke the protocol: nothing more is read. */
  violation(why: string): void
}

/** Reads frames of SPDY/3.1. It keeps the beginning of a frame, of 16 bytes at most. */
export class FrameReader extends PacedParser {
  readonly #sink: FrameSink
  /** Of a frame with data. */
  #streamId = 0
  #fin = false
  #dataLeft = 0
  /** What is left of a control frame behind what was read of it. */
  #skip = 0

  constructor(sink: FrameSink) {
    super()
    this.#sink = sink
  }

  protected step(bytes: Buffer): number | undefined {
    if (this.#skip > 0) {
      const passed = Math.min(this.#skip, bytes.length)
      this.#skip -= passed
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

  #takeData(bytes: Buffer): number {
    const piece = bytes.length > this.#dataLeft ? bytes.subarray(0, this.#dataLeft) : bytes
    this.#dataLeft -= piece.length
    this.#sink.data(this.#streamId, piece, this.#fin && this.#dataLeft === 0)
    return piece.length
  }

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

  #violate(bytes: Buffer, why: string): number {
    this.stop()
    this.#sink.violation(why)
    return bytes.length
  }
}

/** Of what stands before the header block. */
function fixedBytes(type: number): number {
  if (type === RST_STREAM || type === GOAWAY) return 8
  if (type === SYN_STREAM) return 10
  return type === SYN_REPLY || type === HEADERS || type === PING ? 4 : 0
}
