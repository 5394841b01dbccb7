import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Exchange, StreamWriter } from '../endpoints/exchange.ts'
import { type FilledBody, filledWith, wholeOf } from '../lib/filled-body.ts'
import { LightSignal } from '../lib/light-signal.ts'
import type { Piece } from '../lib/pieces.ts'
import { inNextTurn, nextTurn, turnIsSpent } from '../lib/turn.ts'
import type { RequestContext, RequestInfo, User } from '../meta/context.ts'
import type { StatusError } from '../meta/status.ts'
import { type AnyRequest, type AnyResponse, wireOf } from './any-http.ts'
import { writeGzip } from './gzip-pieces.ts'
import { parseQuery } from './query.ts'
import { readBody } from './read-body.ts'
import { giveScratch, takeScratch, WRITE_BYTES } from './scratch.ts'
import type { StatusEncoder } from './status-body.ts'
import { WireStream } from './stream-writer.ts'
import { type Upgrade, upgradeOf } from './upgrade.ts'
import { warningHeaders } from './warnings.ts'
import { lengthOf, type Wire } from './wire.ts'

/** A whole answer above this many bytes is compressed for who accepts it. */
const GZIP_FROM = 128 * 1024
const JOIN_UP_TO = 16 * 1024
/** Parts of a long answer that are written in one turn: half a millisecond of copying, where a turn for each would cost a fifth of it. */
const PARTS_AT_ONCE = 4

const NOBODY: User = { name: '', groups: [] }
const DONE = Promise.resolve()
/** One for all: a thousand watchers that go at once would hold the event loop for their stack traces. */
const GONE = new DOMException('The client has gone', 'AbortError')

/** What an exchange needs to know of the server. */
export interface ExchangeHost {
  encodeStatus: StatusEncoder
  readonly compressAnswers: boolean
}

/** One request and its answer; also the request's context, for they live and die together and each request makes only one object. */
export class HttpExchange implements Exchange, RequestContext {
  readonly req: AnyRequest
  readonly res: AnyResponse
  readonly method: string
  readonly path: string
  readonly search: string
  readonly headers: IncomingHttpHeaders
  readonly receivedAt: number
  readonly auditId: string
  user: User = NOBODY
  info!: RequestInfo
  /** By the steady clock; 0: none. */
  deadline = 0
  longRunning = false
  /** Status code of the answer, 0 before there is one. */
  status = 0
  /** Bytes of the answer's body, before compression. */
  sent = 0
  /** The answer says that no such path or resource is served. */
  unknownPath = false
  private readonly started: number
  private readonly host: ExchangeHost
  private readonly wire: Wire
  private parsedQuery: URLSearchParams | undefined
  private extra: string[] | undefined
  private warnings: string[] | undefined
  private controller: { readonly signal: AbortSignal; abort(reason?: unknown): void } | undefined
  private aborted: StatusError | undefined
  private abortListener: ((reason: StatusError) => void) | undefined
  private body: Promise<Buffer> | undefined
  private streamed: WireStream | undefined

  constructor(host: ExchangeHost, req: AnyRequest, res: AnyResponse, path: string, search: string, auditId: string) {
    this.host = host
    this.req = req
    this.res = res
    this.wire = wireOf(res)
    this.method = req.method ?? 'GET'
    this.path = path
    this.search = search
    this.headers = req.headers
    this.auditId = auditId
    this.receivedAt = Date.now()
    this.started = performance.now()
  }

  /** Milliseconds since the request came. */
  elapsed(): number {
    return performance.now() - this.started
  }

  get ctx(): RequestContext {
    return this
  }

  get query(): URLSearchParams {
    this.parsedQuery ??= parseQuery(this.search)
    return this.parsedQuery
  }

  get userAgent(): string {
    return this.headers['user-agent'] ?? ''
  }

  /** Made when first asked for. A request that streams has a real one; for the many short ones that would cost as much as all the rest. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = this.longRunning ? this.realController() : this.lightController()
      if (this.aborted !== undefined) this.controller.abort(this.aborted)
    }
    return this.controller.signal
  }

  private realController(): AbortController {
    const controller = new AbortController()
    if (this.wire.closed) controller.abort(GONE)
    else this.wire.onClose(() => inNextTurn(() => controller.abort(GONE)))
    return controller
  }

  private lightController(): { readonly signal: LightSignal; abort(reason?: unknown): void } {
    const signal = new LightSignal(
      () => this.wire.closed && !this.answered,
      gone =>
        this.wire.onClose(() => {
          // An answer that is complete closes the response, too: then there is nothing to give up.
          if (!this.answered) gone()
        }),
    )
    return { signal, abort: reason => signal.abort(reason) }
  }

  /** Ends the request's work: its signal and its body fail with the reason. */
  abort(reason: StatusError): void {
    if (this.aborted !== undefined) return
    this.aborted = reason
    this.controller?.abort(reason)
    this.abortListener?.(reason)
  }

  get isAborted(): boolean {
    return this.aborted !== undefined
  }

  /** Nothing more can be answered: it has been, or nobody is there. */
  get answered(): boolean {
    return this.status !== 0
  }

  get isStreaming(): boolean {
    return this.streamed !== undefined
  }

  warn(text: string): void {
    this.warnings ??= []
    if (!this.warnings.includes(text)) this.warnings.push(text)
  }

  get rawHeaders(): readonly string[] {
    return this.req.rawHeaders
  }

  get remoteAddress(): string {
    return this.req.socket.remoteAddress ?? ''
  }

  get asksUpgrade(): boolean {
    return this.upgrade !== undefined
  }

  private get upgrade(): Upgrade | undefined {
    return upgradeOf(this.req)
  }

  bodyStream(): Readable | undefined {
    const { req, headers } = this
    const declared = headers['content-length']
    const has = 'hasBody' in req ? req.hasBody : headers['transfer-encoding'] !== undefined || (declared !== undefined && declared !== '0')
    return has ? req : undefined
  }

  async relay(status: number, headers: readonly string[], body: Readable): Promise<void> {
    if (this.answered || this.wire.closed) {
      body.destroy()
      return
    }
    this.status = status
    const all = ['Audit-Id', this.auditId, 'Cache-Control', 'no-cache, private', ...headers]
    if (this.method === 'HEAD' || status === 204 || status === 304) {
      body.destroy()
      this.wire.bodiless(status, all, undefined)
      return
    }
    try {
      this.wire.head(status, all, undefined)
      await pipeline(body, this.wire.sink())
    } catch {
      // Either side broke off, or what came is no answer that can be passed on: it can't be ended well.
      body.destroy()
      this.wire.destroy()
    }
  }

  hijack(status: number): { readonly socket: Duplex; readonly head: Buffer } {
    const { upgrade } = this
    if (upgrade === undefined || this.answered) throw new Error('there is no connection to take')
    this.status = status
    upgrade.detach()
    return upgrade
  }

  readBody(limit: number): Promise<Buffer> {
    if (this.aborted !== undefined) return Promise.reject(this.aborted)
    this.body ??= this.takeBody(limit)
    return this.body
  }

  private async takeBody(limit: number): Promise<Buffer> {
    const body = await readBody(this.req, limit, listener => {
      this.abortListener = listener
    })
    if (turnIsSpent()) await nextTurn()
    return body
  }

  setHeader(name: string, value: string | readonly string[]): void {
    this.extra ??= []
    if (typeof value === 'string') this.extra.push(name, value)
    else for (const each of value) this.extra.push(name, each)
  }

  sendBytes(status: number, contentType: string, body: Buffer | readonly Buffer[] | FilledBody): Promise<void> {
    if (this.answered || this.wire.closed) return DONE
    this.status = status
    const { single, long, length } = shapeOf(body)
    this.sent = length
    const headers = this.headerList(contentType)
    if (this.method === 'HEAD') {
      this.wire.bodiless(status, headers, length)
      return DONE
    }
    if (length > GZIP_FROM && this.host.compressAnswers && this.acceptsGzip()) return this.sendCompressed(status, headers, long ?? filledWith([single], length))
    if (long === undefined) {
      this.wire.whole(status, headers, single)
      return DONE
    }
    this.wire.head(status, headers, length)
    return this.sendLong(long)
  }

  sendStatusError(error: StatusError): Promise<void> {
    const retryAfter = error.status.details?.retryAfterSeconds
    if (retryAfter !== undefined && retryAfter > 0) this.setHeader('Retry-After', String(retryAfter))
    if (error.code === 413) this.wire.discardBody()
    if (error.code === 404 && error.status.details?.kind === undefined) this.unknownPath = true
    const { contentType, bytes } = this.host.encodeStatus(error.status, this.headers.accept)
    return this.sendBytes(error.code, contentType, bytes)
  }

  stream(status: number, contentType: string): StreamWriter {
    const stream = new WireStream(this.wire)
    if (this.answered || this.wire.closed) return stream
    this.status = status
    this.streamed = stream
    this.wire.head(status, this.headerList(contentType), undefined)
    return stream
  }

  /** Cuts the connection where an answer has begun and can't be ended well. */
  destroy(): void {
    this.wire.destroy()
  }

  private headerList(contentType: string): string[] {
    const headers = ['Audit-Id', this.auditId, 'Cache-Control', 'no-cache, private', 'Content-Type', contentType]
    if (this.extra !== undefined) headers.push(...this.extra)
    if (this.warnings !== undefined) for (const value of warningHeaders(this.warnings)) headers.push('Warning', value)
    return headers
  }

  /** As upstream reads it: `gzip` as it stands, with no parameter. */
  private acceptsGzip(): boolean {
    const accepted = this.headers['accept-encoding']
    if (typeof accepted !== 'string') return false
    return accepted === 'gzip' || accepted.split(',').some(one => one.trim() === 'gzip')
  }

  private async sendLong(body: FilledBody): Promise<void> {
    const wire = this.wire
    const pace = new WireStream(wire)
    let parts = 0
    for (let sent = 0; sent < body.length; ) {
      const scratch = takeScratch()
      const part = body.fill(scratch)
      sent += part.length
      if (part.buffer === scratch.buffer) wire.write(part, () => giveScratch(scratch))
      else {
        giveScratch(scratch)
        wire.write(part)
      }
      await pace.drained()
      if (wire.closed) return
      if (sent < body.length && (++parts % PARTS_AT_ONCE === 0 || turnIsSpent())) await nextTurn()
    }
    wire.end()
  }

  private async sendPieces(pieces: Iterable<Piece>): Promise<void> {
    const { wire } = this
    const pace = new WireStream(wire)
    let scratch = takeScratch()
    let at = 0
    const flush = async (): Promise<boolean> => {
      const full = scratch
      wire.write(full.subarray(0, at), () => giveScratch(full))
      scratch = takeScratch()
      at = 0
      await pace.drained()
      if (turnIsSpent()) await nextTurn()
      return !wire.closed
    }
    await writeGzip(pieces, async bytes => {
      for (let from = 0; from < bytes.length; ) {
        if (at === scratch.length && !(await flush())) return false
        const taken = bytes.copy(scratch, at, from)
        at += taken
        from += taken
      }
      return true
    })
    if (wire.closed) return giveScratch(scratch)
    wire.write(scratch.subarray(0, at), () => giveScratch(scratch))
    wire.end()
  }

  private async sendCompressed(status: number, headers: string[], body: FilledBody): Promise<void> {
    headers.push('Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding')
    this.wire.head(status, headers, undefined)
    if (body.pieces !== undefined) return this.sendPieces(body.pieces())
    try {
      await pipeline(partsOf(body), createGzip({ level: 1 }), this.wire.sink())
    } catch {
      // The client has gone; what was written of the answer can't be ended well.
      this.wire.destroy()
    }
  }
}

async function* partsOf(body: FilledBody): AsyncGenerator<Buffer> {
  for (let given = 0; given < body.length; ) {
    // Compression works on it in another thread: memory of its own.
    const part = body.fill(Buffer.allocUnsafeSlow(WRITE_BYTES))
    given += part.length
    yield part
    await nextTurn()
  }
}

const NOTHING = Buffer.alloc(0)
const isSegments = (body: readonly Buffer[] | FilledBody): body is readonly Buffer[] => Array.isArray(body)

/** One buffer, or a long body to be sent in parts. A few small pieces cost more to write than to join. */
function shapeOf(body: Buffer | readonly Buffer[] | FilledBody): { single: Buffer; long: FilledBody | undefined; length: number } {
  if (Buffer.isBuffer(body)) return { single: body, long: undefined, length: body.length }
  if (!isSegments(body)) {
    const { length } = body
    return length <= JOIN_UP_TO ? { single: wholeOf(body), long: undefined, length } : { single: NOTHING, long: body, length }
  }
  const length = lengthOf(body)
  const [first = NOTHING] = body
  if (body.length <= 1) return { single: first, long: undefined, length }
  return length <= JOIN_UP_TO ? { single: Buffer.concat(body, length), long: undefined, length } : { single: NOTHING, long: filledWith(body, length), length }
}
