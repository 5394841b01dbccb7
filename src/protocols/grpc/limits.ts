import { ConnectionError, ErrorCode } from '../http2/errors.ts'

/** How long a server may be silent while streams are open, in milliseconds: after `quietMs` it is pinged, and has `signMs` for any frame. */
export interface SilenceLimits {
  readonly quietMs: number
  readonly signMs: number
}

/** Bounds of a server's share in a connection. */
export interface ConnectionLimits extends SilenceLimits {
  /** Bytes of a message. */
  readonly maxMessageBytes: number
}

/** gRPC's servers take no pings closer than 5 s. */
export const DEFAULT_LIMITS: ConnectionLimits = { maxMessageBytes: 256 << 20, quietMs: 6000, signMs: 3000 }

/** Bytes that are read in one piece: some thousand frames at most. */
export const PIECE_BYTES = 32 * 1024
/** Received bytes are confirmed to the server once there are so many. */
export const RENEW_AFTER = 1 << 20
/** Blocks of headers of one response that need no reason: those before its messages, and those behind them. */
export const ORDINARY_BLOCKS = 2

/** Frames of one message that may be shorter than a kilobyte. */
const MOST_SMALL_FRAMES = 65_536
const SMALL_FRAME_BYTES = 1024

/** The small frames of a message with one more frame of so many bytes. Throws a ConnectionError if there are too many. */
export function countSmallFrames(before: number, bytes: number): number {
  if (bytes >= SMALL_FRAME_BYTES) return before
  if (before >= MOST_SMALL_FRAMES) throw new ConnectionError(ErrorCode.protocol, 'a message is in too many frames')
  return before + 1
}
