import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { headBytesOf } from '../../lib/head-bytes.ts'
import { Progress } from '../../lib/progress.ts'
import { ConnectionError, ErrorCode } from '../http2/errors.ts'
import { FrameLimits } from '../http2/frame-limits.ts'
import { Flag } from '../http2/frames.ts'
import { OpenHeads } from '../http2/header-blocks.ts'
import { destroySoon } from '../http2/lifetime.ts'
import { type ConnectionLimits, PREFACE_MS, SMALL_DATA_BYTES } from '../http2/limits.ts'
import { Http2Request } from '../http2/request.ts'
import { readHead } from '../http2/request-head.ts'
import type { BuiltinPort } from './port.ts'
import { Reads } from './reads.ts'
import { RequestQueue } from './request-queue.ts'
import { BuiltinStream } from './stream.ts'

export type Serve = (request: Http2Request, response: BuiltinStream) => void

/**
 * Limit for unread bodies of all streams of a connection, in bytes. As many bytes again can be in flight to paused
 * streams.
 */
const MAX_UNREAD_BYTES = 16 << 20
/**
 * Interval of pings on a connection with open streams. After some client errors Node stops reading without reporting
 * it.
 */
const PING_MS = 60_000

/** Arguments of a session's `stream` event. The types for Node 20 declare only the first two. */
type StreamEvent = readonly [stream: ServerHttp2Stream, headers: unknown, flags: number, rawHeaders: string[]]

/** Client connection over Node's HTTP/2. Passes its requests to `serve`. */
export class BuiltinConnection {
  readonly #socket: TLSSocket
  readonly #serve: Serve
  readonly #limits: ConnectionLimits
  readonly #session: ServerHttp2Session
  readonly #streams = new Set<BuiltinStream>()
  readonly #heads = new OpenHeads()
  readonly #conduct = new FrameLimits()
  readonly #requests: RequestQueue
  readonly #reads: Reads
  /** Bytes of bodies that have not been read. */
  #unread = 0
  #leaving = false
  #failed = false
  #settled = false
  readonly #idle = new Progress()
  /** Number of requests so far, and at the last check. */
  #begun = 0
  #seen = 0
  /** Time of the unanswered ping, by the clock of `check`. */
  #askedAt: number | undefined
  #answered = true

  constructor(socket: TLSSocket, serve: Serve, port: BuiltinPort) {
    const { limits } = port
    this.#socket = socket
    this.#serve = serve
    this.#limits = limits
    const session = port.sessionOver(socket)
    this.#session = session
    this.#requests = new RequestQueue(port.turns)
    this.#reads = new Reads(socket, port.reads)
    session.setLocalWindowSize(limits.connectionWindow)
    session.on('error', () => {})
    socket.on('error', () => {})
    session.on('stream', (...[stream, , flags, fields]: StreamEvent) => this.#begin(stream, (flags & Flag.endStream) !== 0, fields))
    session.once('remoteSettings', () => {
      this.#settled = true
    })
    // A half-closed connection counts as closed.
    socket.once('end', () => this.#fail())
  }

  /** Number of requests without a complete response. */
  get open(): number {
    return this.#streams.size
  }

  /** Response bytes sent so far. */
  get sentBytes(): number {
    return this.#socket.bytesWritten
  }

  /**
   * Bytes that are buffered for the connection: responses that the client has not read, and request data that the
   * server has not read.
   */
  get heldBytes(): number {
    let bytes = this.#unread + this.#heads.heldBytes
    for (const stream of this.#streams) bytes += stream.unwritten
    return bytes
  }

  /** Whether a response waits for the client. */
  get isWaiting(): boolean {
    for (const stream of this.#streams) if (stream.unwritten > 0) return true
    return false
  }

  /**
   * Ends streams and connections that exceed a time limit. Called about once a second.
   * @param now milliseconds of a monotonic clock.
   */
  check(now: number): void {
    for (const stream of [...this.#streams]) if (stream.isStalled(now, this.#limits)) stream.reset(ErrorCode.cancel)
    if (this.open > 0) this.#askAt(now)
    const idleFor = this.#idle.stalledFor(now, this.open === 0, this.#begun !== this.#seen)
    this.#seen = this.#begun
    if (idleFor > (this.#settled ? this.#limits.idleMs : PREFACE_MS)) this.leave()
  }

  #askAt(now: number): void {
    this.#askedAt ??= now
    if (!this.#answered && now - this.#askedAt > this.#limits.stalledStreamMs) this.#socket.destroy()
    if (!this.#answered || now - this.#askedAt < PING_MS || this.#session.destroyed) return
    this.#askedAt = now
    this.#answered = false
    this.#session.ping(() => {
      this.#answered = true
    })
  }

  /** Sends GOAWAY. Requests in progress are completed, then the connection ends. */
  leave(): void {
    if (this.#leaving || this.#session.destroyed) return
    this.#leaving = true
    this.#session.close()
    this.#endWhenDone()
  }

  /** Node ends the connection when everything is sent, and then waits for the client to do the same. */
  #endWhenDone(): void {
    if (this.#leaving && this.#streams.size === 0) this.#farewell()
  }

  #farewell(): void {
    destroySoon(this.#socket)
  }

  #guard(act: () => void): void {
    try {
      act()
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error
      this.#fail(error)
    }
  }

  /**
   * Ends the connection. Deferred to another turn, because Node aborts the process if a session is destroyed while it
   * reads frames.
   * @param error undefined if the client did not cause it.
   */
  #fail(error?: ConnectionError): void {
    if (this.#failed) return
    this.#failed = true
    this.#requests.clear()
    this.#reads.end()
    setImmediate(() => {
      if (!this.#session.destroyed) this.#session.destroy(error, error?.code)
      this.#farewell()
    })
  }

  #begin(from: ServerHttp2Stream, remoteEnded: boolean, fields: string[]): void {
    from.on('error', () => {})
    this.#reads.began()
    // The stream ends with its session.
    if (this.#failed) return
    if (from.destroyed || from.closed) {
      this.#over(from)
      return
    }
    const headBytes = headBytesOf(fields)
    if (!this.#heads.add(headBytes)) {
      from.close(ErrorCode.refusedStream)
      this.#over(from)
      return
    }
    this.#conduct.request()
    this.#begun++
    const stream = new BuiltinStream(from, () => this.leave())
    stream.remoteEnded = remoteEnded
    stream.headBytes = headBytes
    this.#streams.add(stream)
    from.once('close', () => this.#over(from))
    stream.onClose(() => {
      this.#streams.delete(stream)
      this.#heads.remove(stream.headBytes)
      this.#endWhenDone()
    })
    this.#requests.add({ isOver: () => stream.closed, serve: () => this.#open(from, stream, fields) })
  }

  /**
   * Reads the head. Done in the request's turn because it can be large: a block of 320 bytes can refer to one field
   * until the head has a megabyte.
   */
  #open(from: ServerHttp2Stream, stream: BuiltinStream, fields: string[]): void {
    const head = readHead(fields)
    if (head === undefined) {
      stream.reset(ErrorCode.protocol)
      return
    }
    const { remoteEnded } = stream
    const request = new Http2Request(head, this.#socket, !remoteEnded, bytes => this.#taken(from, stream, bytes))
    stream.request = request
    if (!remoteEnded) this.#receive(from, stream, request)
    if (head.headers.expect === '100-continue' && !remoteEnded) from.additionalHeaders({ ':status': 100 })
    this.#serve(request, stream)
  }

  /**
   * Passes the body on. A stream with a full window of unread bytes is paused, so that its window does not grow. Node
   * grows the connection's window at once; if all unread bodies exceed the limit, a stream that receives more is reset.
   */
  #receive(from: ServerHttp2Stream, stream: BuiltinStream, request: Http2Request): void {
    from.on('data', (chunk: Buffer) => {
      // Node continues with the frames of the current read after the connection has failed. 64 KiB contain 6,000 frames
      // of one byte.
      if (this.#failed) return
      // The last frame of a body may be small, because each request allows some small frames.
      if (chunk.length < SMALL_DATA_BYTES) this.#guard(() => this.#conduct.idleFrame(0, 0))
      else this.#conduct.body(chunk.length)
      this.#unread += chunk.length
      stream.unread += chunk.length
      request.give(chunk)
      if (stream.unread > this.#limits.streamWindow) from.pause()
      if (stream.unread > 0 && this.#unread > MAX_UNREAD_BYTES) stream.reset(ErrorCode.calm)
    })
    from.once('end', () => {
      stream.remoteEnded = true
      if (!request.destroyed) request.push(null)
    })
  }

  #taken(from: ServerHttp2Stream, stream: BuiltinStream, bytes: number): void {
    this.#unread -= bytes
    stream.unread -= bytes
    if (from.isPaused()) from.resume()
  }

  #over(from: ServerHttp2Stream): void {
    if (!this.#failed && from.rstCode !== ErrorCode.none) this.#guard(() => this.#conduct.reset())
  }
}
