import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { invariant } from '../../lib/invariant.ts'
import type { ConnectionLimits } from '../http2/limits.ts'
import { TurnBudget } from '../http2/turn-budget.ts'
import { ReadLines } from './reads.ts'

/**
 * `maxSessionMemory` in megabytes. Effectively unlimited: Node never subtracts data written to streams that the client
 * cancelled, so a long connection would eventually refuse all requests.
 */
const SESSION_MEGABYTES = 1e6
/** State that the connections of a listening port share. */
export class BuiltinPort {
  readonly limits: ConnectionLimits
  readonly turns = new TurnBudget()
  readonly reads = new ReadLines()
  /** A server that does not listen. It creates sessions on connections that were accepted elsewhere. */
  readonly #server: Http2Server

  constructor(limits: ConnectionLimits) {
    this.limits = limits
    this.#server = createServer({
      settings: {
        maxConcurrentStreams: limits.maxConcurrentStreams,
        initialWindowSize: limits.streamWindow,
        maxHeaderListSize: limits.maxHeaderBytes,
      },
      maxHeaderListPairs: limits.maxHeaders,
      maxSessionMemory: SESSION_MEGABYTES,
    })
  }

  sessionOver(socket: TLSSocket): ServerHttp2Session {
    let made: ServerHttp2Session | undefined
    this.#server.once('session', session => {
      made = session
    })
    this.#server.emit('connection', socket)
    invariant(made !== undefined, 'a session is made at once')
    return made
  }
}
