import { ConnectionError, ErrorCode } from '../http2/errors.ts'

/**
 * Time limits for a silent server while streams are open, in milliseconds. It is pinged after `quietMs`, and must then
 * send any frame within `signMs`.
 */
export interface SilenceLimits {
  readonly quietMs: number
  readonly signMs: number
}

/** Limits of a connection. */
export interface ConnectionLimits extends SilenceLimits {
  /** Maximum size of a received message, in bytes. */
  readonly maxMessageBytes: number
}

/** Default limits. gRPC servers do not allow pings at intervals below 5 s. */
export const DEFAULT_LIMITS: ConnectionLimits = { maxMessageBytes: 256 << 20, quietMs: 6000, signMs: 3000 }

/** Bytes that are read before yielding. They contain some thousand frames at most. */
export const PIECE_BYTES = 64 * 1024
/** Received bytes after which a WINDOW_UPDATE is sent. */
export const RENEW_AFTER = 1 << 20
/** Header blocks of an ordinary response: headers and trailers. Further ones count as frames that serve no call. */
export const ORDINARY_BLOCKS = 2

/** Limit for frames of one message that are shorter than SMALL_FRAME_BYTES. */
const MOST_SMALL_FRAMES = 65_536
const SMALL_FRAME_BYTES = 1024

/**
 * Returns the number of small frames of a message after another frame of `bytes` bytes. Throws a ConnectionError if
 * there are too many.
 */
export function countSmallFrames(before: number, bytes: number): number {
  if (bytes >= SMALL_FRAME_BYTES) return before
  if (before >= MOST_SMALL_FRAMES) throw new ConnectionError(ErrorCode.protocol, 'a message is in too many frames')
  return before + 1
}
