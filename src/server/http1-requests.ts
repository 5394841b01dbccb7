import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { headBytesOf } from '../lib/head-bytes.ts'
import { Conduct } from '../protocols/http2/conduct.ts'
import { ConnectionError } from '../protocols/http2/errors.ts'
import type { Listener } from './any-http.ts'
import { answerFault, faultOfFields } from './field-limit.ts'
import { MAX_PIPELINED, MAX_PIPELINED_BYTES, SMALL_CHUNK_BYTES } from './limits.ts'
import { originForm } from './request-target.ts'

/** Requests of a connection that wait behind the answer to an earlier one. */
interface Waiting {
  requests: number
  /** Of their heads. */
  bytes: number
}

const pipelined = new WeakMap<Socket, Waiting>()

/** Bytes of the heads that wait on a connection. */
export const pipelinedBytes = (socket: Socket): number => pipelined.get(socket)?.bytes ?? 0

/**
 * Serves what Node's HTTP/1.1 reads, of each connection one request after the other, as net/http does. A connection on which too many requests wait for their turn is closed: Node reads on while answers are being
 * made, and each request costs a hundred times its bytes.
 */
export const http1Listener =
  (listener: Listener) =>
  (req: IncomingMessage, res: ServerResponse): void => {
    // Node gives the connection to the first of those that are not answered.
    const waits = res.socket === null
    if (waits && !mayWait(req, res)) return
    if (req.headers['transfer-encoding'] !== undefined) boundChunks(req)
    if (req.url !== undefined) req.url = originForm(req.url)
    const serve = (): void => {
      const fault = faultOfFields(req)
      if (fault === undefined) listener(req, res)
      else answerFault(res, fault)
    }
    if (waits) res.once('socket', serve)
    else serve()
  }

function mayWait({ socket, rawHeaders, url = '' }: IncomingMessage, res: ServerResponse): boolean {
  const waiting = pipelined.get(socket) ?? { requests: 0, bytes: 0 }
  const bytes = headBytesOf(rawHeaders) + url.length
  if (waiting.requests >= MAX_PIPELINED || (waiting.requests > 0 && waiting.bytes + bytes > MAX_PIPELINED_BYTES) || socket.destroyed) {
    socket.destroy()
    readNoFurther(socket)
    return false
  }
  waiting.requests++
  waiting.bytes += bytes
  pipelined.set(socket, waiting)
  res.once('close', () => {
    waiting.requests--
    waiting.bytes -= bytes
  })
  return true
}

/** What a parser of Node's is told of a request after which the connection speaks something else. */
const UPGRADED = 2

/**
 * Ends the turn of Node's parser, which goes on with all that was read, destroyed or not: 64 KiB hold 1,500 requests. It has no documented way; where a version of Node has another parser,
 * they are read and dropped.
 */
function readNoFurther(socket: Socket): void {
  if ('parser' in socket && typeof socket.parser === 'object' && socket.parser !== null) Object.assign(socket.parser, { onIncoming: () => UPGRADED })
}

/** What the clients of connections do beside asking: small chunks are to HTTP/1.1 what frames without a request are to HTTP/2. */
const conducts = new WeakMap<Socket, Conduct>()

function conductOf(socket: Socket): Conduct {
  let conduct = conducts.get(socket)
  if (conduct === undefined) {
    conduct = new Conduct()
    conducts.set(socket, conduct)
  }
  return conduct
}

/**
 * Closes the connection of bodies that come in many small chunks: Node makes a buffer of each, and calls back with it. They are counted over all requests of the connection, and after the answer, too, where
 * Node would drop what comes.
 */
function boundChunks(req: IncomingMessage): void {
  const conduct = conductOf(req.socket)
  conduct.request()
  const { push } = req
  req.push = function (this: IncomingMessage, chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk !== null && chunk.length < SMALL_CHUNK_BYTES && !mayCome(conduct)) {
      refuseChunks(req.socket)
      return false
    }
    return push.call(this, chunk, encoding)
  }
  // Node's own drops without a word to anybody.
  Object.assign(req, { _dump: () => void req.removeAllListeners('data').resume() })
}

/** Whether another small chunk may come. */
function mayCome(conduct: Conduct): boolean {
  try {
    conduct.idleFrame(0, 0)
    return true
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error
    return false
  }
}

/** Where a parser of Node's keeps what it calls with a piece of a body: HTTPParser.kOnBody. Without a function there, it reads on to the end of its buffer and makes nothing of it. */
const ON_BODY = 3

/** Closes the connection, and spares the turn the chunks that were read with the last one: a record of TLS holds 2,700 of them. */
function refuseChunks(socket: Socket): void {
  socket.destroy()
  if (!('parser' in socket) || typeof socket.parser !== 'object' || socket.parser === null) return
  const parser: { [ON_BODY]?: unknown } = socket.parser
  const onBody = parser[ON_BODY]
  parser[ON_BODY] = null
  // Node gives the parser to another connection once this one has closed, which is reported after this. Ticks are run between two chunks.
  setImmediate(() => {
    parser[ON_BODY] = onBody
  })
}
