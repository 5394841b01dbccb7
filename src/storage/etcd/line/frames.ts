/** Frames of HTTP/2, as far as a client of unary calls needs them. Source: RFC 9113, sections 4 and 6. */

export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const

/** END_STREAM is of DATA and HEADERS, ACK of SETTINGS and PING. */
export const FLAG = { END_STREAM: 1, ACK: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 0x20 } as const

export const SETTING = { HEADER_TABLE_SIZE: 1, ENABLE_PUSH: 2, MAX_CONCURRENT_STREAMS: 3, INITIAL_WINDOW_SIZE: 4, MAX_FRAME_SIZE: 5 } as const

/** Codes of RST_STREAM and GOAWAY. */
export const CODE = { NO_ERROR: 0, PROTOCOL_ERROR: 1, REFUSED_STREAM: 7, CANCEL: 8 } as const

export const HEAD_BYTES = 9
/** Payloads are no longer than this, unless the other side allows more; we never do. */
export const MAX_PAYLOAD = 16_384
/** The largest window, and the last id of a stream. */
export const MAX_31_BITS = 0x7fff_ffff

/** The other side does not keep to the protocol: the connection can't be used any more. */
export class FrameError extends Error {}

/** Writes the head of a frame; returns the offset behind it. */
export function writeHead(out: Buffer, at: number, length: number, type: number, flags: number, stream: number): number {
  out.writeUIntBE(length, at, 3)
  out[at + 3] = type
  out[at + 4] = flags
  out.writeUInt32BE(stream, at + 5)
  return at + HEAD_BYTES
}

export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const out = Buffer.allocUnsafe(HEAD_BYTES + payload.length)
  payload.copy(out, writeHead(out, 0, payload.length, type, flags, stream))
  return out
}

/** A frame whose payload is one number of 32 bits: RST_STREAM and WINDOW_UPDATE. */
export function numberFrame(type: number, stream: number, n: number): Buffer {
  const payload = Buffer.allocUnsafe(4)
  payload.writeUInt32BE(n)
  return frame(type, 0, stream, payload)
}

export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(6 * settings.length)
  settings.forEach(([id, value], i) => {
    payload.writeUInt16BE(id, 6 * i)
    payload.writeUInt32BE(value, 6 * i + 2)
  })
  return frame(FRAME.SETTINGS, 0, 0, payload)
}

/** The settings of a payload. Throws FrameError where it is none. */
export function readSettings(payload: Buffer): [id: number, value: number][] {
  if (payload.length % 6 !== 0) throw new FrameError(`SETTINGS of ${payload.length} bytes`)
  const settings: [number, number][] = []
  for (let i = 0; i < payload.length; i += 6) settings.push([payload.readUInt16BE(i), payload.readUInt32BE(i + 2)])
  return settings
}

/** What is left of the payload of DATA or HEADERS without padding and priority. Throws FrameError where they are longer than it. */
export function contentOf(type: number, flags: number, payload: Buffer): Buffer {
  if ((flags & (FLAG.PADDED | FLAG.PRIORITY)) === 0) return payload
  const padded = (flags & FLAG.PADDED) !== 0
  const start = (padded ? 1 : 0) + (type === FRAME.HEADERS && (flags & FLAG.PRIORITY) !== 0 ? 5 : 0)
  const end = payload.length - (padded ? (payload[0] ?? 0) : 0)
  if (end < start) throw new FrameError('padding is longer than the frame')
  return payload.subarray(start, end)
}

/** Takes what comes in whatever pieces, and gives whole frames. Payloads are views of what came. */
export class FrameReader {
  #rest: Buffer | undefined
  readonly #onFrame: (type: number, flags: number, stream: number, payload: Buffer) => void

  constructor(onFrame: (type: number, flags: number, stream: number, payload: Buffer) => void) {
    this.#onFrame = onFrame
  }

  /** Throws FrameError, after which nothing more may be given. */
  take(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    while (bytes.length - at >= HEAD_BYTES) {
      const length = bytes.readUIntBE(at, 3)
      if (length > MAX_PAYLOAD) throw new FrameError(`a frame of ${length} bytes`)
      const end = at + HEAD_BYTES + length
      if (end > bytes.length) break
      this.#onFrame(bytes[at + 3]!, bytes[at + 4]!, bytes.readUInt32BE(at + 5) & MAX_31_BITS, bytes.subarray(at + HEAD_BYTES, end))
      at = end
    }
    this.#rest = at === bytes.length ? undefined : bytes.subarray(at)
  }
}
