import type { IncomingHttpHeaders } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Exchange, StreamWriter } from '../endpoints/exchange.ts'
import { LightSignal } from '../lib/light-signal.ts'
import type { RequestContext, RequestInfo, User } from '../meta/context.ts'
import type { StatusError } from '../meta/status.ts'
import { giveScratch, join, takeScratch, WRITE_BYTES } from './join.ts'
import { readBody } from './read-body.ts'
import type { StatusEncoder } from './status-body.ts'
import { WireStream } from './stream-writer.ts'
import { warningHeaders } from './warnings.ts'
import { type AnyRequest, type AnyResponse, isHttp2, lengthOf, type Wire, wireOf } from './wire.ts'

/** A whole answer above this many bytes is compressed for who accepts it. */
const GZIP_FROM = 128 * 1024
const JOIN_UP_TO = 16 * 1024

const NOBODY: User = { name: '', groups: [] }
const DONE = Promise.resolve()

/** What an exchange needs to know of the server. */
export interface ExchangeHost {
  encodeStatus: StatusEncoder
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
  /** Milliseconds since the epoch; 0: none. */
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
    this.parsedQuery ??= new URLSearchParams(this.search)
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
    if (this.wire.closed) controller.abort()
    else this.wire.onClose(() => controller.abort())
    return controller
  }

  private lightController(): { readonly signal: LightSignal; abort(reason?: unknown): void } {
    const signal = new LightSignal(
      () => this.wire.closed && !this.answered,
      gone => this.wire.onClose(gone),
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

  readBody(limit: number): Promise<Buffer> {
    if (this.aborted !== undefined) return Promise.reject(this.aborted)
    this.body ??= readBody(this.req, limit, listener => {
      this.abortListener = listener
    })
    return this.body
  }

  setHeader(name: string, value: string | readonly string[]): void {
    this.extra ??= []
    if (typeof value === 'string') this.extra.push(name, value)
    else for (const each of value) this.extra.push(name, each)
  }

  sendBytes(status: number, contentType: string, body: Buffer | readonly Buffer[]): Promise<void> {
    if (this.answered || this.wire.closed) return DONE
    this.status = status
    const length = Buffer.isBuffer(body) ? body.length : lengthOf(body)
    // A few small pieces cost more to write than to join.
    const single = Buffer.isBuffer(body) ? body : body.length === 1 ? body[0] : length <= JOIN_UP_TO ? Buffer.concat(body, length) : undefined
    this.sent = length
    const headers = this.headerList(contentType)
    if (this.method === 'HEAD') {
      this.wire.bodiless(status, headers, length)
      return DONE
    }
    if (length > GZIP_FROM && this.acceptsGzip()) return this.sendCompressed(status, headers, single === undefined ? (body as readonly Buffer[]) : [single])
    if (single !== undefined) {
      this.wire.whole(status, headers, single)
      return DONE
    }
    this.wire.head(status, headers, length)
    return this.sendSegments(body as readonly Buffer[])
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

  private async sendSegments(segments: readonly Buffer[]): Promise<void> {
    const wire = this.wire
    const pace = new WireStream(wire)
    let scratch = takeScratch()
    for (let i = 0; i < segments.length; ) {
      const { joined, next } = join(segments, i, scratch)
      i = next
      wire.write(joined)
      await pace.drained()
      if (wire.closed) return
      // What the kernel has not taken yet still lies in the scratch.
      if (wire.unwritten > 0) scratch = takeScratch()
      if (i < segments.length) await nextTurn()
    }
    if (wire.unwritten === 0) giveScratch(scratch)
    wire.end()
  }

  private async sendCompressed(status: number, headers: string[], segments: readonly Buffer[]): Promise<void> {
    headers.push('Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding')
    this.wire.head(status, headers, undefined)
    const sink = isHttp2(this.res) ? this.res.stream : this.res
    try {
      await pipeline(inGroups(segments), createGzip({ level: 1 }), sink)
    } catch {
      // The client has gone; what was written of the answer can't be ended well.
      this.wire.destroy()
    }
  }
}

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

async function* inGroups(segments: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (let i = 0; i < segments.length; ) {
    const { joined, next } = join(segments, i, Buffer.allocUnsafeSlow(WRITE_BYTES))
    i = next
    yield joined
    await nextTurn()
  }
}
