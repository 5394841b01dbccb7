import { type ConnectionLimits, SMALL_DATA_BYTES } from '../protocols/http2/limits.ts'

/**
 * Limits on what a client can consume, before and after it is authenticated. Values are those of kube-apiserver or
 * net/http if they have such a limit. Limits of HTTP/2 frames are in `protocols/http2/limits.ts`.
 */

/** Bytes of a request line and its headers. net/http's DefaultMaxHeaderBytes. */
export const MAX_HEADER_BYTES = 1 << 20
/**
 * Header fields of a request, over either protocol. net/http limits only their bytes; Node's parser takes quadratic
 * time.
 */
export const MAX_HEADERS = 2000

/**
 * Characters of a raw path without the query. An error response repeats the path, escaped. kube-apiserver limits only
 * the whole head.
 */
export const MAX_PATH_LENGTH = 64 * 1024
/** Parameters of a query. Each costs as much as a long string, and the 1 MiB of a head would hold half a million. */
export const MAX_QUERY_PARAMETERS = 32_768

/**
 * Requests of an HTTP/1.1 connection that wait behind the current one. net/http reads the next request after the
 * response to the last; few clients pipeline.
 */
export const MAX_PIPELINED = 64

/** Bytes of the heads of those requests, which are kept until their turn: as many as one head may have. */
export const MAX_PIPELINED_BYTES = 1 << 20

/** Chunks of a request body with fewer bytes are limited like HTTP/2 frames that cause no request. */
export const SMALL_CHUNK_BYTES = SMALL_DATA_BYTES

/** Time without a request: kube-apiserver's IdleTimeout. */
export const IDLE_MS = 90_000
/** Time for a TLS handshake, and for a request line and its headers: kube-apiserver's ReadHeaderTimeout. */
export const HEADERS_MS = 32_000
/** How often Node checks for requests whose headers take too long. Its default of 30 s would allow twice the time. */
export const HEADERS_CHECK_MS = 5_000

/**
 * Time without progress of a complete response: kube-apiserver's --request-timeout, which such a response has used up
 * by then.
 */
export const STALLED_MS = 60_000
/**
 * Time without progress of an open stream (a watch, a log, a proxied response). A log in a pager may stand still for
 * minutes.
 */
export const STALLED_STREAM_MS = 15 * 60_000

/** Connections of one port. Beyond it, idle connections are closed first; without idle ones, new connections are. */
export const MAX_CONNECTIONS = 20_000
/** Connections that are closed at once beyond the limit: finding them takes linear time. */
export const EVICTED_AT_ONCE = 200
/** A younger connection does not count as idle. */
export const SETTLING_MS = 1000

/**
 * Bytes that are buffered for all connections of a port: unread responses, unread bodies, incomplete heads. Beyond it,
 * connections without progress for the longest time are closed.
 */
export const MAX_HELD_BYTES = 256 << 20

/** How often connections are checked. */
export const CHECK_MS = 1000
/**
 * How often TLS connections are checked for a held event loop. They are checked if it was held for more than `BUSY_MS`.
 */
export const TLS_CHECK_MS = 50
/** Milliseconds for which the event loop may be held before TLS connections are checked. */
export const BUSY_MS = 20

/** kube-apiserver's HTTP/2 settings: --http2-max-streams-per-connection of 1000, and its window sizes. */
export const HTTP2_LIMITS: ConnectionLimits = {
  maxConcurrentStreams: 1000,
  streamWindow: 256 * 1024,
  connectionWindow: 4 << 20,
  maxHeaderBytes: MAX_HEADER_BYTES,
  maxHeaders: MAX_HEADERS,
  idleMs: IDLE_MS,
  headersMs: HEADERS_MS,
  stalledMs: STALLED_MS,
  stalledStreamMs: STALLED_STREAM_MS,
}
