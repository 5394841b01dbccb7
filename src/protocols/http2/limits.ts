/** What the owner of a connection decides. */
export interface ConnectionLimits {
  readonly maxConcurrentStreams: number
  /** Bytes that a client may send ahead, on a stream and on the connection. */
  readonly streamWindow: number
  readonly connectionWindow: number
  /** Of one request's headers: bytes, and fields. */
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  /** Milliseconds without a stream after which the client is asked to go. */
  readonly idleMs: number
  /** Milliseconds that a header block may take to come. */
  readonly headersMs: number
  /** Milliseconds for which a peer may take nothing of an answer that is complete, and of one that goes on. */
  readonly stalledMs: number
  readonly stalledStreamMs: number
}

/** Resets of streams, the client's own and those that its faults lead to: at once, and more with each second. nghttp2's stream_reset_burst and stream_reset_rate. */
export const RESETS = { burst: 1000, perSecond: 33 }

/** Frames that cause no request, beyond those that what was sent and asked gives reason for: nghttp2's glitch_burst and glitch_rate. */
export const IDLE_FRAMES = { burst: 1000, perSecond: 33 }
/** A client may send so many such frames for each request, for each frame of data that it gets and for each KiB of it, and keep so many for later. Go's client widens two windows for each 4 KiB. */
export const EARNED = { perRequest: 4, perDataFrame: 4, perKib: 1, most: 10_000 }
/** DATA of fewer bytes that does not end its stream is a frame that causes nothing: each costs a buffer of its own. */
export const SMALL_DATA_BYTES = 64

/** Bytes of the heads of open requests. Past it a stream is refused: with answers that are not read a thousand heads would be kept, each as long as one may be. */
export const MAX_OPEN_HEAD_BYTES = 4 << 20
/** So many are not counted as held. */
export const ORDINARY_HEAD_BYTES = 64 * 1024

/** Settings in one frame. nghttp2's max_settings. */
export const MAX_SETTINGS = 32
/** Frames of one header block: many small ones are an attack. nghttp2 has 8, Go a limit of bytes alone. */
export const MAX_HEADER_FRAMES = 256
/** A header list of more than so many times the limit ends the connection; one between is 431. As Go's. */
export const HOPELESS_HEADERS = 2

/** Bytes of frames that no window holds back and the peer does not read. Go closes at 10,000 frames of 13 to 17 bytes, which leaves out headers; a client that reads has at most a head a stream here. */
export const MAX_UNREAD_BYTES = 1 << 20

/** For the preface and the first settings: Go's prefaceTimeout. */
export const PREFACE_MS = 10_000
/** After the last stream of a connection that was asked to go: Go's goAwayTimeout. */
export const GOAWAY_MS = 1000
/** How long a connection that is ended for its peer's fault stays open for the word of it. */
export const FAREWELL_MS = 1000
/** Bytes that are read of such a peer meanwhile, and thrown away. */
export const MAX_DROPPED_BYTES = 8 << 20
