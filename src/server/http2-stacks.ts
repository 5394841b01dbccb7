import type { TLSSocket } from 'node:tls'
import { Http2Connection } from '../protocols/http2/connection.ts'
import type { ConnectionLimits } from '../protocols/http2/limits.ts'
import { Http2Port } from '../protocols/http2/port.ts'
import { BuiltinConnection } from '../protocols/http2-builtin/connection.ts'
import { BuiltinPort } from '../protocols/http2-builtin/port.ts'
import type { Listener } from './any-http.ts'

/** A client's connection of HTTP/2, as those see it that look after connections. */
export interface Http2Session {
  /** Requests that are not answered yet. */
  readonly open: number
  /** Bytes of answers that were sent so far. */
  readonly sentBytes: number
  /** Bytes that are kept for the connection: what waits for the client, and what it has sent that nobody has read. */
  readonly heldBytes: number
  /** Something waits for the client. */
  readonly isWaiting: boolean
  /** Ends what takes too long: about once a second, `now` by a steady clock in milliseconds. */
  check(now: number): void
  /** Asks the client to go: what it has asked is answered, then the connection ends. */
  leave(): void
}

/** `own`: the stack of this project. `builtin`: that of Node. */
export type Http2Stack = 'own' | 'builtin'

/** Serves a connection that speaks HTTP/2. */
type ServeConnection = (socket: TLSSocket) => Http2Session

/** What serves the connections of one port, which share turns of the event loop and memory with each other and with nobody else. */
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
