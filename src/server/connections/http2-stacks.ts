import type { TLSSocket } from 'node:tls'
import { Http2Connection } from '../../protocols/http2/connection.ts'
import type { ConnectionLimits } from '../../protocols/http2/limits.ts'
import { Http2Port } from '../../protocols/http2/port.ts'
import { BuiltinConnection } from '../../protocols/http2-builtin/connection.ts'
import { BuiltinPort } from '../../protocols/http2-builtin/port.ts'
import type { Listener } from '../http/any-http.ts'

/** A client's HTTP/2 connection, as the connection checks see it. */
export interface Http2Session {
  /** Requests that are not complete. */
  readonly open: number
  /** Bytes of responses that were sent. */
  readonly sentBytes: number
  /** Bytes that are buffered for the connection: unsent responses and unread request bodies. */
  readonly heldBytes: number
  /** Whether bytes wait for the client to read. */
  readonly isWaiting: boolean
  /**
   * Closes the connection or streams whose time limits are exceeded. Called about once a second; `now` in milliseconds
   * of a steady clock.
   */
  check(now: number): void
  /** Asks the client to leave (GOAWAY). Open requests are completed, then the connection is closed. */
  leave(): void
}

/** `own`: the stack of this project (`protocols/http2`). `builtin`: `node:http2`. */
export type Http2Stack = 'own' | 'builtin'

/** Serves an HTTP/2 connection. */
type ServeConnection = (socket: TLSSocket) => Http2Session

/**
 * HTTP/2 stacks by name. The connections of one port share turns of the event loop and memory, separately from other
 * ports.
 */
export const HTTP2_STACKS: Readonly<Record<Http2Stack, (serve: Listener, limits: ConnectionLimits) => ServeConnection>> = {
  own: (serve, limits) => {
    const port = new Http2Port(limits)
    return socket => new Http2Connection(socket, serve, port)
  },
  builtin: (serve, limits) => {
    const port = new BuiltinPort(limits)
    return socket => new BuiltinConnection(socket, serve, port)
  },
}
