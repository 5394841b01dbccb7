/** Types of control frames (SPDY/3.1, section 2.6). */
export const SYN_STREAM = 1
export const SYN_REPLY = 2
export const RST_STREAM = 3
export const PING = 6
export const GOAWAY = 7
export const HEADERS = 8

/** Flag of the last frame that the sender sends on a stream. */
export const FLAG_FIN = 1

/** Status codes of RST_STREAM (SPDY/3.1, section 2.6.3). */
export const REFUSED_STREAM = 3
/** The creator of the stream does not need it any longer. */
export const CANCEL = 5

/** Length of the header of every frame (section 2.2). */
export const FRAME_HEAD_BYTES = 8
/** SPDY/3.1 has the version 3 in its frames. */
const VERSION = 3
/** Maximum length of a frame, which has 24 bits. */
const MAX_LENGTH = (1 << 24) - 1

/** Makes the header of a data frame. */
export function dataHead(streamId: number, length: number, fin: boolean): Buffer {
  if (length > MAX_LENGTH) throw new RangeError('a frame of SPDY has less than 16 MiB')
  const head = Buffer.allocUnsafe(FRAME_HEAD_BYTES)
  head.writeUInt32BE(streamId)
  head.writeUInt32BE(length, 4)
  head[4] = fin ? FLAG_FIN : 0
  return head
}

/** Makes a control frame without flags, whose body consists of 32-bit words. */
function control(type: number, ...words: readonly number[]): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + words.length * 4)
  frame.writeUInt16BE(0x8000 | VERSION)
  frame.writeUInt16BE(type, 2)
  frame.writeUInt32BE(words.length * 4, 4)
  words.forEach((word, i) => {
    frame.writeUInt32BE(word, FRAME_HEAD_BYTES + i * 4)
  })
  return frame
}

/** Ends a stream in both directions. `why` is a status code. */
export const resetFrame = (streamId: number, why: number): Buffer => control(RST_STREAM, streamId, why)
/** The reply to a ping is a frame with the same ID. */
export const pingFrame = (id: number): Buffer => control(PING, id)
/** Makes a GOAWAY frame with status OK. No stream of the other side was processed. */
export const goAwayFrame = (): Buffer => control(GOAWAY, 0, 0)

/**
 * Makes a SYN_STREAM frame with the highest priority.
 * @param headers a header block.
 */
export function synStreamFrame(streamId: number, headers: Buffer): Buffer {
  const frame = Buffer.concat([control(SYN_STREAM, streamId, 0), Buffer.alloc(2), headers])
  frame.writeUInt32BE(frame.length - FRAME_HEAD_BYTES, 4)
  return frame
}

/** Makes a SYN_REPLY frame. @param headers a header block. */
export function synReplyFrame(streamId: number, headers: Buffer): Buffer {
  const frame = Buffer.concat([control(SYN_REPLY, streamId), headers])
  frame.writeUInt32BE(frame.length - FRAME_HEAD_BYTES, 4)
  return frame
}
