import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { headBytesOf } from '../../lib/head-bytes.ts'
import { ConnectionError } from '../../protocols/http2/errors.ts'
import { FrameLimits } from '../../protocols/http2/frame-limits.ts'
import type { Listener } from '../http/any-http.ts'
import { answerFault, faultOfFields } from '../http/field-limit.ts'
import { originForm } from '../http/request-target.ts'
import { MAX_PIPELINED, MAX_PIPELINED_BYTES, SMALL_CHUNK_BYTES } from '../limits.ts'

/** Pipelined requests of a connection that wait until an earlier response is written. */
interface WaitingRequests {
  requests: number
  /** Bytes of their heads. */
  bytes: number
}

const pipelined = new WeakMap<Socket, WaitingRequests>()

/** Returns the bytes of the heads that wait on a connection. */
export const pipelinedBytes = (socket: Socket): number => pipelined.get(socket)?.bytes ?? 0

/**
 * Serves the requests of each connection one after the other, as net/http does. Node reads on while responses are being
 * made, and each request costs a hundred times its bytes: a connection on which too many requests wait is closed.
 */
export const http1Listener =
  (listener: Listener) =>
  (req: IncomingMessage, res: ServerResponse): void => {
    // Node assigns the socket to the first response that is not complete.
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

/** Admits a pipelined request, or closes the connection if too many wait. Returns whether the request is admitted. */
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

/** Return value that tells Node's parser to stop because the connection leaves HTTP. */
const UPGRADED = 2

/**
 * Stops Node's parser, which otherwise parses the rest of the read even if the socket is destroyed: 64 KiB hold 1,500
 * requests. Node has no documented way. With a parser of another shape, those requests are parsed and dropped.
 */
function readNoFurther(socket: Socket): void {
  if ('parser' in socket && typeof socket.parser === 'object' && socket.parser !== null)
    Object.assign(socket.parser, { onIncoming: () => UPGRADED })
}

/** Small chunks of each connection. HTTP/1.1 chunks are limited like HTTP/2 frames that cause no request. */
const conducts = new WeakMap<Socket, FrameLimits>()

function conductOf(socket: Socket): FrameLimits {
  let conduct = conducts.get(socket)
  if (conduct === undefined) {
    conduct = new FrameLimits()
    conducts.set(socket, conduct)
  }
  return conduct
}

/**
 * Closes connections whose bodies come in many small chunks: Node creates a buffer for each and calls back with it.
 * Chunks are counted over all requests of a connection, and after the response as well, when Node only discards them.
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
  // Node's `_dump` discards chunks without calling `push`.
  Object.assign(req, { _dump: () => void req.removeAllListeners('data').resume() })
}

/** Whether another small chunk may come. */
function mayCome(conduct: FrameLimits): boolean {
  try {
    conduct.idleFrame(0, 0)
    return true
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error
    return false
  }
}

/**
 * Index of the callback for a piece of a body: HTTPParser.kOnBody. Without a function there, the parser skips bodies to
 * the end of its buffer.
 */
const ON_BODY = 3

/** Closes the connection, and skips the chunks that came in the same read: a TLS record holds 2,700 of them. */
function refuseChunks(socket: Socket): void {
  socket.destroy()
  if (!('parser' in socket) || typeof socket.parser !== 'object' || socket.parser === null) return
  const parser: { [ON_BODY]?: unknown } = socket.parser
  const onBody = parser[ON_BODY]
  parser[ON_BODY] = null
  // Node gives the parser to another connection after the `close` event of this one, which is emitted later. Ticks run
  // between two chunks, so a tick would be too early.
  setImmediate(() => {
    parser[ON_BODY] = onBody
  })
}
