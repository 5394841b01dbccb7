import { type ConnectionLimits, SMALL_DATA_BYTES } from '../protocols/http2/limits.ts'

/**
 * What a client may take of the server before it is known who it is, and after. Values are kube-apiserver's or net/http's where they have one. The limits of HTTP/2 that concern its frames
 * alone are in `protocols/http2/limits.ts`.
 */

/** Of a request's line and headers. net/http's DefaultMaxHeaderBytes. */
export const MAX_HEADER_BYTES = 1 << 20
/** Fields of a request, over either protocol. net/http counts bytes alone; Node's parser takes time as their square. */
export const MAX_HEADERS = 2000

/** Characters of a path, as it was sent, before the query: an answer that refuses it repeats it, longer. kube-apiserver has a limit of the whole head alone. */
export const MAX_PATH_LENGTH = 64 * 1024
/** Of a query: each costs as much as a long text. A megabyte, which is the limit of the whole head, holds half a million. */
export const MAX_QUERY_PARAMETERS = 32_768

/** Requests of an HTTP/1.1 connection that wait behind one that is being answered. net/http reads the next when it has answered the last; clients that pipeline are all but extinct. */
export const MAX_PIPELINED = 64

/** Bytes of their heads, which are kept until the answers before theirs have left: as many as one may have. */
export const MAX_PIPELINED_BYTES = 1 << 20

/** A chunk of a body of fewer bytes is counted as a frame of HTTP/2 that causes no request. */
export const SMALL_CHUNK_BYTES = SMALL_DATA_BYTES

/** Without a request: kube-apiserver's IdleTimeout. */
export const IDLE_MS = 90_000
/** For the TLS handshake, and for a request's line and headers: kube-apiserver's ReadHeaderTimeout. */
export const HEADERS_MS = 32_000
/** How often Node looks for requests whose headers take too long; its own default lets them take twice as long. */
export const HEADERS_CHECK_MS = 5_000

/** Without progress of an answer that is complete: kube-apiserver's --request-timeout, which such an answer has used up by then. */
export const STALLED_MS = 60_000
/** Without progress of a stream that goes on (a watch, a log, a proxied answer): somebody who reads a log in a pager may do so for a while. */
export const STALLED_STREAM_MS = 15 * 60_000

/** Connections of one port. Past it those that do nothing go first, and where there are none, new ones. */
export const MAX_CONNECTIONS = 20_000
/** So many of them go at once: looking for them is linear. */
export const EVICTED_AT_ONCE = 200
/** A connection that is younger is not taken for one that does nothing. */
export const SETTLING_MS = 1000

/** Bytes kept for all connections of a port: unread answers, unread bodies, unfinished headers. Past it those go that have stood still for longest. */
export const MAX_HELD_BYTES = 256 << 20

/** How often connections are looked at. */
export const CHECK_MS = 1000
/** How often it is looked whether the event loop is held: for more milliseconds than these, connections of TLS are looked at in between. */
export const TLS_CHECK_MS = 50
export const BUSY_MS = 20

/** maxConcurrentStreams: kube-apiserver's --http2-max-streams-per-connection of 1000, and windows of its size. */
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
