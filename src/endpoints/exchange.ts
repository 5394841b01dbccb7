import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { FilledBody } from '../lib/filled-body.ts'
import type { SharedBytes } from '../lib/shared-bytes.ts'
import type { RequestContext, RequestInfo } from '../meta/context.ts'
import type { StatusError } from '../meta/status.ts'
import type { Watcher } from '../storage/storage.ts'

/**
 * A request as an endpoint sees it. Each request gets exactly one response, by one of `sendBytes`, `sendStatusError`,
 * `stream`, `relay` or `hijack`. A handler may also throw: a StatusError is sent as it is, any other error is logged
 * and sent as 500.
 */
export interface Exchange {
  /** Upper case. */
  readonly method: string
  /** Percent-decoded, without the query. Equals `ctx.info.path`. */
  readonly path: string
  /** The raw query, without `?`. */
  readonly search: string
  /** Parsed from `search` by the first access. */
  readonly query: URLSearchParams
  /** Names in lower case, including HTTP/2 pseudo-headers. */
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[]
  /** Address of the client. Empty if the connection is closed. */
  readonly remoteAddress: string
  /**
   * Whether the client requests to leave HTTP (`Connection: Upgrade`, over HTTP/1.1) and the path allows it. `hijack`
   * may be called then.
   */
  readonly asksUpgrade: boolean
  /** Optional. Applies faults to a watch. Omitted if no fault rule matches. */
  readonly disturbed?: ((watcher: Watcher) => Watcher) | undefined
  readonly ctx: RequestContext
  /** Audit ID from the request's `Audit-ID` header, or a generated one. */
  readonly auditId: string
  /** Operation of the request, as it was authorized. */
  readonly info: RequestInfo
  /** Labels with which metrics count the request of a page whose form is negotiated. Undefined for other requests. */
  counted?: CountedPage | undefined
  /**
   * Reads the whole body. Throws a StatusError: 413 if it is longer than `limit` bytes, 400 or 408 if it breaks off.
   * Later calls return the same buffer.
   */
  readBody(limit: number): Promise<Buffer>
  /** Returns the body as a stream, for a proxied request. Undefined if there is none. Excludes `readBody`. */
  bodyStream(): Readable | undefined
  /** Sets a header of the response. Hop-by-hop headers are not allowed: HTTP/2 forbids them. */
  setHeader(name: string, value: string | readonly string[]): void
  /**
   * Sends a complete response with its Content-Length. A long body is written in parts, with turns of the event loop in
   * between. Compressed if the client accepts gzip and the body has more than 128 KiB. The buffers may be shared; they
   * are never modified. A response to HEAD has headers only. Resolves when everything has been handed to the socket, or
   * the client has gone.
   */
  sendBytes(status: number, contentType: string, body: Buffer | readonly Buffer[] | FilledBody): Promise<void>
  /** Sends a Status in the media type that the client accepts, with Retry-After from its details. */
  sendStatusError(error: StatusError): Promise<void>
  /**
   * Starts a response of unknown length, such as a watch. Headers are sent immediately, and nothing is buffered.
   * `mayCompress`: compress every write if the client accepts gzip. Default: false.
   */
  stream(status: number, contentType: string, mayCompress?: boolean): StreamWriter
  /**
   * Sends the response of another server: its headers (names and values in turn, without hop-by-hop headers), then its
   * body at the client's pace. Resolves when the body has ended, or when the client's connection was closed because
   * either side broke off. Never rejects.
   */
  relay(status: number, headers: readonly string[], body: Readable): Promise<void>
  /**
   * Marks the request as served by another server: its in-flight slot or seats are released, and it is not counted in
   * this server's metrics.
   */
  delegate(): void
  /**
   * Takes over the connection of a request with `asksUpgrade`, with the bytes behind it. The caller writes the
   * response, with this status, and ends the connection.
   */
  hijack(status: number): { readonly socket: Duplex; readonly head: Buffer }
}

/** Labels of a page in metrics. Group and version are empty for plain text. */
export interface CountedPage {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/**
 * Body of a streamed response. It closes when the client disconnects or stops reading; `ctx.signal` is aborted then as
 * well.
 */
export interface StreamWriter {
  /** False once nothing can be written. */
  readonly open: boolean
  /** Bytes that were accepted here and not yet by the kernel. */
  readonly unwritten: number
  /**
   * Writes bytes, in one packet if they fit. Never waits: if more than 1 MiB is unwritten, the client is too slow and
   * is disconnected. Returns false once the stream is closed. The bytes may be shared with other streams.
   */
  write(bytes: SharedBytes): boolean
  /**
   * Writes bytes that `fill` puts into a reused buffer; it returns their number. For long data that no other stream
   * shares. Result as for `write`. Omitted by streams of messages.
   */
  writeFilled?(fill: (memory: Buffer) => number): boolean
  /**
   * Resolves when the kernel has accepted what was written, or the stream has closed. Paces long data that is ready,
   * such as initial events.
   */
  drained(): Promise<void>
  /** Completes the response. */
  end(): void
}
