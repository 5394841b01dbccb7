/** Limits that the owner of a connection sets. */
export interface ConnectionLimits {
  readonly maxConcurrentStreams: number
  /** Flow-control windows: bytes that a client may send ahead on a stream and on the connection. */
  readonly streamWindow: number
  readonly connectionWindow: number
  /** Limits for the headers of a request: bytes and fields. */
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  /** Milliseconds without a stream after which GOAWAY is sent. */
  readonly idleMs: number
  /** Milliseconds in which a header block must be complete. */
  readonly headersMs: number
  /** Milliseconds for which a client may read nothing of a complete response, and of one that continues. */
  readonly stalledMs: number
  readonly stalledStreamMs: number
}

/**
 * Limit for stream resets by the client or because of its errors: burst and rate. nghttp2's stream_reset_burst and
 * stream_reset_rate.
 */
export const RESETS = { burst: 1000, perSecond: 33 }

/**
 * Limit for frames that cause no request, beyond those that requests and responses allow. nghttp2's glitch_burst and
 * glitch_rate.
 */
export const IDLE_FRAMES = { burst: 1000, perSecond: 33 }
/**
 * Frames of that kind that are allowed per request, per DATA frame sent, and per KiB sent, and the maximum that can
 * accumulate. Go's client sends two WINDOW_UPDATE frames per 4 KiB.
 */
export const EARNED = { perRequest: 4, perDataFrame: 4, perKib: 1, most: 10_000 }
/**
 * Shorter DATA frames without END_STREAM count as frames that cause no request, because each needs a buffer of its own.
 */
export const SMALL_DATA_BYTES = 64

/**
 * Limit for the heads of open requests, in bytes. Further streams are refused. A client that does not read responses
 * could otherwise keep a thousand heads of maximum size.
 */
export const MAX_OPEN_HEAD_BYTES = 4 << 20
/** Bytes that do not count as held. */
export const ORDINARY_HEAD_BYTES = 64 * 1024

/** Limit for the settings in one frame. nghttp2's max_settings. */
export const MAX_SETTINGS = 32
/** Limit for the frames of a header block. nghttp2 has 8; Go limits only bytes. */
export const MAX_HEADER_FRAMES = 256
/** Multiple of the header limit beyond which the connection ends. A header list in between is a 431, as in Go. */
export const HOPELESS_HEADERS = 2

/**
 * Limit for unread frames without flow control, in bytes. Go closes at 10,000 frames of 13 to 17 bytes, not counting
 * headers. A client that reads has at most one response head per stream queued.
 */
export const MAX_UNREAD_BYTES = 1 << 20

/** Time limit for the preface and the first settings. Go's prefaceTimeout. */
export const PREFACE_MS = 10_000
/** Time after the last stream of a connection that was sent GOAWAY. Go's goAwayTimeout. */
export const GOAWAY_MS = 1000
/** Time for which a failed connection stays open, so that the client can read GOAWAY. */
export const FAREWELL_MS = 1000
/** Bytes that are read and discarded during that time. */
export const MAX_DROPPED_BYTES = 8 << 20
