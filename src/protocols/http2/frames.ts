import { ConnectionError, ErrorCode } from './errors.ts'

/** Frames of HTTP/2 (RFC 9113, sections 4 and 6). */
export const FrameType = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const Flag = { none: 0, endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const

export const Setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const

/** Connection preface of a client. */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
/** Length of a frame header, in bytes. */
export const HEADER_BYTES = 9
/** Default maximum of a frame's payload, in bytes. */
export const FRAME_BYTES = 16 * 1024
/** Initial window of the connection and of streams, in bytes. */
export const INITIAL_WINDOW = 65_535
/** Maximum window size and stream id. */
export const MAX_31_BITS = 0x7fff_ffff

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  /** A view of the received chunk. */
  readonly payload: Buffer
}

/** Type and flags as the 16-bit number that a frame header contains. */
export const frameKind = (type: number, flags: number): number => (type << 8) | flags

/** Writes a frame header. Returns the offset of the payload. */
export function writeFrameHeader(out: Buffer, at: number, length: number, kind: number, stream: number): number {
  out[at] = length >> 16
  out[at + 1] = length >> 8
  out[at + 2] = length
  out[at + 3] = kind >> 8
  out[at + 4] = kind
  return out.writeUInt32BE(stream, at + 5)
}

/** Makes a frame with a copy of the payload. */
export function frameOf(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + payload.length)
  payload.copy(frame, writeFrameHeader(frame, 0, payload.length, frameKind(type, flags), stream))
  return frame
}

/** Splits a header block into HEADERS and CONTINUATION frames. */
export function headerFrames(block: Buffer, stream: number, endStream: boolean): Buffer {
  const count = Math.max(1, Math.ceil(block.length / FRAME_BYTES))
  const out = Buffer.allocUnsafe(block.length + count * HEADER_BYTES)
  let at = 0
  for (let i = 0; i < count; i++) {
    const part = block.subarray(i * FRAME_BYTES, (i + 1) * FRAME_BYTES)
    const flags = (i === 0 && endStream ? Flag.endStream : Flag.none) | (i === count - 1 ? Flag.endHeaders : Flag.none)
    at = writeFrameHeader(out, at, part.length, frameKind(i === 0 ? FrameType.headers : FrameType.continuation, flags), stream)
    at += part.copy(out, at)
  }
  return out
}

/** Makes a frame whose payload is one or two 32-bit numbers. */
export function numbersFrame(type: number, stream: number, ...numbers: readonly number[]): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + 4 * numbers.length)
  let at = writeFrameHeader(frame, 0, 4 * numbers.length, frameKind(type, Flag.none), stream)
  for (const number of numbers) at = frame.writeUInt32BE(number, at)
  return frame
}

/** Makes a SETTINGS frame (RFC 9113, section 6.5). */
export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(6 * settings.length)
  let at = 0
  for (const [id, value] of settings) at = payload.writeUInt32BE(value, payload.writeUInt16BE(id, at))
  return frameOf(FrameType.settings, Flag.none, 0, payload)
}

/** Returns the settings of a SETTINGS frame. Throws a ConnectionError if its length is invalid. */
export function readSettings({ payload }: Frame): [id: number, value: number][] {
  if (payload.length % 6 !== 0) throw new ConnectionError(ErrorCode.frameSize, 'a setting has six bytes')
  const settings: [number, number][] = []
  for (let at = 0; at < payload.length; at += 6) settings.push([payload.readUInt16BE(at), payload.readUInt32BE(at + 2)])
  return settings
}

/**
 * Returns the content of a DATA or HEADERS frame without padding. Throws a ConnectionError if the padding is longer
 * than the frame.
 */
export function unpadded({ flags, payload }: Frame): Buffer {
  if ((flags & Flag.padded) === 0) return payload
  const padding = payload[0]
  if (padding === undefined || padding >= payload.length) throw new ConnectionError(ErrorCode.protocol, 'there is more padding than frame')
  return payload.subarray(1, payload.length - padding)
}

/** Length of the priority in a HEADERS frame, in bytes. */
export const PRIORITY_BYTES = 5

/** Returns the header block fragment of a HEADERS frame. Throws a ConnectionError if the frame is too short. */
export function fragmentOf(frame: Frame): Buffer {
  const content = unpadded(frame)
  if ((frame.flags & Flag.priority) === 0) return content
  if (content.length < PRIORITY_BYTES) throw new ConnectionError(ErrorCode.frameSize, 'a priority breaks off')
  return content.subarray(PRIORITY_BYTES)
}

const NOTHING = Buffer.alloc(0)
const never = (): boolean => false

/** Splits received chunks into frames. */
export class FrameReader {
  #pieces: Buffer[] = []
  #length = 0
  #needed = HEADER_BYTES

  /**
   * Reads a chunk. Throws a ConnectionError as soon as a frame is known to be too long.
   * @param stop called after each frame. If it returns true, the rest of the chunk is returned, and must be passed to
   * the next call.
   */
  read(chunk: Buffer, take: (frame: Frame) => void, stop: () => boolean = never): Buffer {
    let at = this.#length === 0 ? 0 : this.#finish(chunk, take)
    while (at < chunk.length && !stop()) {
      const left = chunk.length - at
      this.#needed = left < HEADER_BYTES ? HEADER_BYTES : HEADER_BYTES + lengthAt(chunk, at)
      if (left < this.#needed) {
        this.#pieces.push(keepRest(chunk, at))
        this.#length = left
        return NOTHING
      }
      const from = at
      at += this.#needed
      take(frameAt(chunk, from, at))
    }
    return at === chunk.length ? NOTHING : chunk.subarray(at)
  }

  /**
   * Completes the frame that began in an earlier chunk. Only such frames are copied. Returns the number of bytes it
   * took.
   */
  #finish(chunk: Buffer, take: (frame: Frame) => void): number {
    let at = 0
    for (;;) {
      const more = Math.min(this.#needed - this.#length, chunk.length - at)
      this.#pieces.push(chunk.subarray(at, at + more))
      this.#length += more
      at += more
      if (this.#length < this.#needed) return at
      const begun = Buffer.concat(this.#pieces, this.#length)
      const needed = HEADER_BYTES + lengthAt(begun, 0)
      this.#pieces = []
      if (needed === this.#length) {
        this.#length = 0
        take(frameAt(begun, 0, needed))
        return at
      }
      // The header is complete, and has the length of the payload.
      this.#pieces.push(begun)
      this.#needed = needed
    }
  }
}

/** Returns the rest of a chunk. A small rest is copied, so that it does not keep the chunk in memory. */
const keepRest = (chunk: Buffer, at: number): Buffer =>
  at === 0 ? chunk : (chunk.length - at) * 4 < chunk.length ? Buffer.from(chunk.subarray(at)) : chunk.subarray(at)

const frameAt = (data: Buffer, from: number, to: number): Frame => ({
  type: data.readUInt8(from + 3),
  flags: data.readUInt8(from + 4),
  stream: data.readUInt32BE(from + 5) & MAX_31_BITS,
  payload: data.subarray(from + HEADER_BYTES, to),
})

function lengthAt(data: Buffer, at: number): number {
  const length = data.readUIntBE(at, 3)
  if (length > FRAME_BYTES) throw new ConnectionError(ErrorCode.frameSize, 'a frame is longer than was allowed')
  return length
}
