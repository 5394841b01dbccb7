import { invariant } from '../../lib/invariant.ts'
import { PacedParser } from '../../lib/paced-reading.ts'
import { BINARY, CLOSE, CONTINUATION, TEXT } from './frame.ts'

/** Maximum payload of a ping, pong or close frame (RFC 6455, section 5.5). */
const MAX_CONTROL_BYTES = 125

/** Position of a piece in its message. Messages can have several frames, and frames arrive in several packets. */
export interface Piece {
  /** Type of the message, also for pieces of continuation frames. */
  readonly opcode: typeof TEXT | typeof BINARY
  /** Whether the message begins with this piece. */
  readonly first: boolean
  /** Whether the message ends with this piece. */
  readonly last: boolean
}

export interface FrameSink {
  /**
   * Optional. Called with pieces of a message, at least one per message. The callee owns the buffer. Omitted to discard
   * messages.
   */
  piece?(bytes: Buffer, at: Piece): void
  /** Called with a complete ping, pong or close frame. */
  control(opcode: number, payload: Buffer): void
  /** The client violated the protocol. No more is read. */
  violation(): void
}

/** Parsed frame header. */
interface FrameStart {
  /** Low four bits of the first byte. Reserved values are rejected later. */
  readonly opcode: number
  /** Whether the frame is the last of its message. */
  readonly final: boolean
  /** Length of the payload. A length beyond 2^53 is rounded, and exceeds every limit. */
  readonly payloadBytes: number
  /** Length of the frame header, including the mask. */
  readonly headBytes: number
}

/**
 * Reads the frames of a client (RFC 6455, section 5). Buffers a frame header and at most one control frame, never a
 * message.
 */
export class FrameReader extends PacedParser {
  readonly #maxBytes: number
  readonly #sink: FrameSink
  /** Unread bytes of the current data frame. */
  #left = 0
  #mask: Buffer = Buffer.alloc(4)
  /** Bytes of the payload that have been unmasked. */
  #unmasked = 0
  #final = true
  /** Opcode of the current message. Undefined between messages. */
  #message: Piece['opcode'] | undefined
  #first = true

  /** @param maxBytes maximum payload of a frame. */
  constructor(maxBytes: number, sink: FrameSink) {
    super()
    this.#maxBytes = maxBytes
    this.#sink = sink
  }

  protected step(bytes: Buffer): number | undefined {
    return this.#left > 0 ? this.#takeData(bytes) : this.#takeFrame(bytes)
  }

  /** Reads a control frame, or the header of a data frame. Returns its length, or undefined if more data is needed. */
  #takeFrame(bytes: Buffer): number | undefined {
    const start = frameStart(bytes)
    if (start === undefined) return undefined
    if (start === 'violation' || !this.#isAllowed(start)) return this.#violate(bytes)
    const { opcode, final, headBytes, payloadBytes } = start
    if (opcode < CLOSE) {
      if (bytes.length < headBytes) return undefined
      this.#mask = Buffer.from(bytes.subarray(headBytes - 4, headBytes))
      this.#begin(opcode, final, payloadBytes)
      return headBytes
    }
    if (bytes.length < headBytes + payloadBytes) return undefined
    const payload = Buffer.from(bytes.subarray(headBytes, headBytes + payloadBytes))
    unmask(payload, bytes.subarray(headBytes - 4, headBytes), 0)
    this.#sink.control(opcode, payload)
    return headBytes + payloadBytes
  }

  /** Checks the order of frames: a message is not begun within another, and control frames are not split. */
  #isAllowed({ opcode, final, payloadBytes }: FrameStart): boolean {
    if (opcode >= CLOSE) return final && payloadBytes <= MAX_CONTROL_BYTES
    const begins = opcode === TEXT || opcode === BINARY
    return payloadBytes <= this.#maxBytes && (begins ? this.#message === undefined : opcode === CONTINUATION && this.#message !== undefined)
  }

  #violate(bytes: Buffer): number {
    this.stop()
    this.#sink.violation()
    return bytes.length
  }

  /** Begins a data frame. An empty one is passed on at once. */
  #begin(opcode: number, final: boolean, payloadBytes: number): void {
    if (opcode === TEXT || opcode === BINARY) {
      this.#message = opcode
      this.#first = true
    }
    this.#final = final
    this.#left = payloadBytes
    this.#unmasked = 0
    if (payloadBytes === 0) this.#give(Buffer.alloc(0))
  }

  /** Unmasks and passes on a piece, at most up to the end of the frame. */
  #takeData(bytes: Buffer): number {
    const piece = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes
    if (this.#sink.piece !== undefined) unmask(piece, this.#mask, this.#unmasked)
    this.#unmasked += piece.length
    this.#left -= piece.length
    this.#give(piece)
    return piece.length
  }

  /** Passes on a piece. The last piece of the last frame ends the message. */
  #give(piece: Buffer): void {
    const opcode = this.#message
    invariant(opcode !== undefined, 'a piece is of a message')
    const first = this.#first
    const last = this.#final && this.#left === 0
    this.#first = false
    if (last) this.#message = undefined
    this.#sink.piece?.(piece, { opcode, first, last })
  }
}

/** Parses a frame header. Undefined if it is incomplete. */
function frameStart(bytes: Buffer): FrameStart | 'violation' | undefined {
  if (bytes.length < 2) return undefined
  const first = bytes.readUInt8(0)
  const second = bytes.readUInt8(1)
  // Frames of clients must be masked, and no extension was negotiated.
  if ((second & 0x80) === 0 || (first & 0x70) !== 0) return 'violation'
  const short = second & 0x7f
  const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8
  const headBytes = 6 + lengthBytes
  // The payload length is checked before the mask has arrived, so that an invalid one is reported at once.
  if (bytes.length < 2 + lengthBytes) return undefined
  const payloadBytes = lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  return { opcode: first & 0x0f, final: (first & 0x80) !== 0, headBytes, payloadBytes }
}

/**
 * Unmasks bytes in place (RFC 6455, section 5.3).
 * @param from offset of the bytes in the payload.
 */
function unmask(bytes: Buffer, mask: Buffer, from: number): void {
  const keys = Uint8Array.from([0, 1, 2, 3], i => mask[(from + i) & 3] ?? 0)
  for (let i = 0; i < bytes.length; i++) bytes[i] = (bytes[i] ?? 0) ^ (keys[i & 3] ?? 0)
}
