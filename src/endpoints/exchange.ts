import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { FilledBody } from '../lib/filled-body.ts'
import type { SharedBytes } from '../lib/shared-bytes.ts'
import type { RequestContext, RequestInfo } from '../meta/context.ts'
import type { StatusError } from '../meta/status.ts'
import type { Watcher } from '../storage/storage.ts'

/**
 * One request as an endpoint sees it, and the only way in which it is answered: by exactly one of `sendBytes`, `sendStatusError`, `stream`, `relay` or `hijack`.
 * A handler may also throw: a StatusError is sent as it is, anything else becomes a 500 and is logged.
 */
export interface Exchange {
  /** Upper case. */
  readonly method: string
  /** Percent-decoded, without the query: as `ctx.info.path`. */
  readonly path: string
  /** The raw query, without `?`. */
  readonly search: string
  /** Parsed from `search` when first asked for. */
  readonly query: URLSearchParams
  /** Names in lower case; HTTP/2 pseudo headers stand among them. */
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  /** The client's address, or the empty text where the connection has gone. */
  readonly remoteAddress: string
  /** The client asks to leave HTTP (`Connection: Upgrade`, over HTTP/1.1), and may: `hijack` is there for it. */
  readonly asksUpgrade: boolean
  /** What is done to a watch on purpose; absent: nothing. */
  readonly disturbed?: ((watcher: Watcher) => Watcher) | undefined
  readonly ctx: RequestContext
  /** The request's own, or the one that the client has given it. */
  readonly auditId: string
  /** What the request will do, and what it was authorized for. */
  readonly info: RequestInfo
  /** The whole body. Throws a StatusError: 413 where it is longer than `limit` bytes, 408/400 where it breaks off. Read once; a second call gives the same buffer. */
  readBody(limit: number): Promise<Buffer>
  /** The body as it comes, to be passed on; undefined where there is none. In place of `readBody`. */
  bodyStream(): Readable | undefined
  /** Sets a header of the answer. Never a hop-by-hop one (HTTP/2 forbids them). */
  setHeader(name: string, value: string | readonly string[]): void
  /**
   * Sends a whole answer with its Content-Length. A large one is written in parts, and the event loop gets its turn between them. Compressed where
   * the client accepts gzip and there are 128 KiB or more. The buffers may be shared: they are never changed. HEAD gets the headers alone.
   * Resolves when all has been handed to the socket, or the client has gone.
   */
  sendBytes(status: number, contentType: string, body: Buffer | readonly Buffer[] | FilledBody): Promise<void>
  /** Sends a Status in the media type that the client accepts, with Retry-After from its details. */
  sendStatusError(error: StatusError): Promise<void>
  /** Starts an answer of unknown length (a watch): headers go out at once, nothing is compressed, nothing waits. */
  stream(status: number, contentType: string): StreamWriter
  /**
   * Passes on the answer of another server: its headers (names and values in turn, none of them hop-by-hop), then its body as it comes, at the client's pace. Resolves when the body
   * has ended, or been cut off with the client's connection because either side broke off. Never rejects.
   */
  relay(status: number, headers: readonly string[], body: Readable): Promise<void>
  /** Another server does the request from now on: it gives up its place in flight, and is not counted as one of this server. */
  delegate(): void
  /** Takes the connection of a request that `asksUpgrade`, with the bytes that came behind it: the caller answers, with this status, and ends it. */
  hijack(status: number): { readonly socket: Duplex; readonly head: Buffer }
}

/** The open end of a streamed answer. It closes by itself when the client goes or stops reading; `ctx.signal` is aborted then, too. */
export interface StreamWriter {
  /** False once nothing more can be written. */
  readonly open: boolean
  /** Bytes accepted here and not yet by the kernel. */
  readonly unwritten: number
  /**
   * Writes the bytes, in one packet where they fit. Never waits: a client that has more than 1 MiB unwritten when more comes is too slow and is cut off. False once
   * closed. They may be shared with other streams.
   */
  write(bytes: SharedBytes): boolean
  /** As `write`, of what `fill` writes into memory that is used again and again: for what is long and nobody else gets. It returns how much that is. Undefined: what is written are messages. */
  writeFilled?(fill: (memory: Buffer) => number): boolean
  /** Resolves when the kernel has taken what was written, or the stream has closed: for pacing what is long and ready, such as initial events. */
  drained(): Promise<void>
  /** Ends the answer well-formed. */
  end(): void
}
