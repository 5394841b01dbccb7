import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { invariant } from '../../lib/invariant.ts'
import type { ConnectionLimits } from '../http2/limits.ts'
import { TurnShare } from '../http2/turn-share.ts'
import { ReadLines } from './reads.ts'

/** Of what a session counts, it never gives back what was written to streams that the client gave up: with a bound, long connections would come to an end in which all is refused. */
const SESSION_MEGABYTES = 1e6
/** What the connections of a listening port share. */
export class BuiltinPort {
  readonly limits: ConnectionLimits
  readonly turns = new TurnShare()
  readonly reads = new ReadLines()
  /** Listens to nothing: it makes sessions over connections that another has accepted. */
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
