import { randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import type { RequestAudit } from '../../audit/request-audit.ts'
import type { CountedPage, Exchange, StreamWriter } from '../../endpoints/exchange.ts'
import type { SeatRequest } from '../../flow/queued-requests.ts'
import type { BufferPool } from '../../lib/buffer-pool.ts'
import type { Clock } from '../../lib/clock.ts'
import { type FilledBody, filledWith } from '../../lib/filled-body.ts'
import { invariant } from '../../lib/invariant.ts'
import { fieldsWithout } from '../../lib/raw-fields.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { AuditRecord } from '../../meta/audit.ts'
import type { RequestContext, RequestInfo, User } from '../../meta/context.ts'
import type { StatusError } from '../../meta/status.ts'
import type { RequestRecord } from '../../why/request-record.ts'
import { type AnyRequest, type AnyResponse, wireOf } from './any-http.ts'
import { DeadlineError } from './deadline-error.ts'
import { GzipStream } from './gzip-stream.ts'
import { acceptsGzip, sendCompressed, sendLong, shapeOf } from './long-body.ts'
import { parseQuery } from './query.ts'
import { readBody } from './read-body.ts'
import { sendRelayed } from './relayed-body.ts'
import { lightSignal, nativeSignal, type RequestSignal } from './request-signal.ts'
import { parseTarget, type TargetFault } from './request-target.ts'
import { responseHeaders } from './response-headers.ts'
import { finalCode, type StatusEncoder } from './status-body.ts'
import { WireStream } from './stream-writer.ts'
import { upgradeOf } from './upgrade.ts'
import { Warnings } from './warnings.ts'
import type { Wire } from './wire.ts'
import { withheldResponse } from './withheld-response.ts'

/**
 * Responses longer than this are compressed if the client accepts gzip, in bytes. kube-apiserver's
 * defaultGzipThresholdBytes.
 */
const GZIP_FROM = 128 * 1024

/** User of a request that is not authenticated yet. */
const NOBODY: User = { name: '', groups: [] }
const DONE = Promise.resolve()

/** The server's settings and services that an exchange uses. */
export interface ExchangeHost {
  /** Encodes a Status in a media type that the Accept header allows. */
  encodeStatus: StatusEncoder
  /** Whether long responses are compressed if the client accepts gzip. */
  readonly compressAnswers: boolean
  /** Buffers for long responses. */
  readonly memory: BufferPool
  /**
   * Optional. Whether a header, by its name in lower case, is removed from `rawHeaders` after authentication: it
   * asserts a user, and other servers would trust it as well.
   */
  readonly isHidden?: ((field: string) => boolean) | undefined
  /** Defaults to the system clock. */
  readonly clock?: Clock | undefined
}

/**
 * One request and its response. Also the request's context: one object for each request is cheaper than two. `url`: the
 * target if it differs from the request line's, as below a mount.
 */
export class HttpExchange implements Exchange, RequestContext {
  readonly req: AnyRequest
  readonly res: AnyResponse
  readonly method: string
  readonly path: string
  /** The query, without `?`. Empty if there is none. */
  readonly search: string
  /** Undefined if the path is valid. */
  readonly fault: TargetFault | undefined
  readonly headers: IncomingHttpHeaders
  readonly receivedAt: number
  /** `Audit-Id` of the request, or a UUID if it has none. */
  readonly auditId: string
  /** User of the request. Set by authentication, and replaced by impersonation. */
  user: User = NOBODY
  /** Undefined if the request is not audited. */
  auditing: RequestAudit | undefined
  /** Set by `withWhy`. */
  why: RequestRecord | undefined
  /** Milliseconds of the steady clock; 0 for a request without deadline. */
  deadline = 0
  /** Whether the request has no deadline: a watch, or a connection to another server. */
  longRunning = false
  /** Whether the request was authorized. Set by `withAuthorization`. */
  isAuthorized = false
  /** `disturbed` and `webhookFault` are set by `withFaults`. */
  disturbed: Exchange['disturbed']
  counted: CountedPage | undefined
  webhookFault: RequestContext['webhookFault']
  /** Seats or in-flight slot that the request holds. Undefined while it holds none. */
  place: { leave(): void } | undefined
  /** Whether another server serves the request. */
  isDelegated = false
  /** The request's seats in its priority level. Undefined if it has none. */
  seats: SeatRequest | undefined
  /** Milliseconds that the request waited in its queue. */
  queuedMs = 0
  /** Status code of the response, 0 until it begins. */
  status = 0
  /** Bytes of the request's body; -1 until it is read. */
  received = -1
  /** Bytes of the response's body before compression. */
  sent = 0
  readonly #started: number
  #parsed: RequestInfo | undefined
  readonly #host: ExchangeHost
  #wire: Wire
  #parsedQuery: URLSearchParams | undefined
  #extra: string[] | undefined
  #warnings: Warnings | undefined
  #signal: RequestSignal | undefined
  #aborted: StatusError | undefined
  #abortListener: ((reason: StatusError) => void) | undefined
  #body: Promise<Buffer> | undefined

  constructor(host: ExchangeHost, req: AnyRequest, res: AnyResponse, url = req.url ?? '/') {
    this.#host = host
    this.req = req
    this.res = res
    this.#wire = wireOf(res)
    this.method = req.method ?? 'GET'
    const { path, search, fault } = parseTarget(url)
    this.path = path
    this.search = search
    this.fault = fault
    this.headers = req.headers
    const asked = req.headers['audit-id']
    this.auditId = typeof asked === 'string' && asked !== '' ? asked : randomUUID()
    this.receivedAt = host.clock === undefined ? Date.now() : host.clock.now()
    this.#started = performance.now()
  }

  /** Milliseconds since the request was received. */
  elapsed(): number {
    return performance.now() - this.#started
  }

  get audit(): AuditRecord | undefined {
    return this.auditing?.event
  }

  watchInitialized(): void {
    this.leavePlace()
  }

  /** The request target as the client sent it. */
  get uri(): string {
    return this.req.url ?? '/'
  }

  get ctx(): RequestContext {
    return this
  }

  /**
   * The operation that is requested. Set once, before it is authorized: the value that is authorized is the value that
   * is served.
   */
  get info(): RequestInfo {
    invariant(this.#parsed, 'the request has not been parsed')
    return this.#parsed
  }

  set info(info: RequestInfo) {
    invariant(this.#parsed === undefined, 'a request is parsed once')
    this.#parsed = info
  }

  get isParsed(): boolean {
    return this.#parsed !== undefined
  }

  get query(): URLSearchParams {
    this.#parsedQuery ??= parseQuery(this.search)
    return this.#parsedQuery
  }

  get userAgent(): string {
    return this.headers['user-agent'] ?? ''
  }

  /** Created by the first call. A native signal if the request is long-running. */
  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      this.#signal = this.longRunning ? nativeSignal(this.#wire) : lightSignal(this.#wire, this)
      if (this.#aborted !== undefined) this.#signal.abort(this.#aborted)
    }
    return this.#signal.signal
  }

  /** Ends the request's work: its signal is aborted and its body rejects with the reason. */
  abort(reason: StatusError): void {
    if (this.#aborted !== undefined) return
    this.#aborted = reason
    this.#signal?.abort(reason)
    this.#abortListener?.(reason)
  }

  get isAborted(): boolean {
    return this.#aborted !== undefined
  }

  /** Whether a response has begun. */
  get answered(): boolean {
    return this.status !== 0
  }

  /** Whether the connection or stream is closed. */
  get clientGone(): boolean {
    return this.#wire.closed
  }

  warn(text: string): void {
    this.why?.note({ step: 'warning', text })
    this.#warnings ??= new Warnings()
    this.#warnings.add(text)
  }

  get rawHeaders(): readonly string[] {
    const { isHidden } = this.#host
    return isHidden ? fieldsWithout(this.req.rawHeaders, isHidden) : this.req.rawHeaders
  }

  get remoteAddress(): string {
    return this.req.socket.remoteAddress ?? ''
  }

  get asksUpgrade(): boolean {
    return upgradeOf(this.req) !== undefined
  }

  bodyStream(): Readable | undefined {
    const { req, headers } = this
    const declared = headers['content-length']
    const has = 'hasBody' in req ? req.hasBody : headers['transfer-encoding'] !== undefined || (declared !== undefined && declared !== '0')
    return has ? req : undefined
  }

  async relay(status: number, headers: readonly string[], body: Readable): Promise<void> {
    if (this.answered || this.#wire.closed) {
      body.destroy()
      return
    }
    this.#begins(status)
    const all = responseHeaders(this.auditId, '', this.#extra)
    all.push(...headers)
    if (this.method === 'HEAD' || status === 204 || status === 304) {
      body.destroy()
      this.#wire.bodiless(status, all, undefined)
      return
    }
    await sendRelayed(this.#wire, status, all, body)
  }

  hijack(status: number): { readonly socket: Duplex; readonly head: Buffer } {
    const upgrade = upgradeOf(this.req)
    if (upgrade === undefined || this.answered) throw new Error('there is no connection to take')
    this.#begins(status)
    upgrade.detach()
    return upgrade
  }

  delegate(): void {
    this.isDelegated = true
    this.leavePlace()
  }

  /** Releases the in-flight slot or the seats. */
  leavePlace(): void {
    this.place?.leave()
    this.place = undefined
  }

  readBody(limit: number): Promise<Buffer> {
    if (this.#aborted !== undefined) return Promise.reject(this.#aborted)
    this.#body ??= this.#takeBody(limit)
    return this.#body
  }

  async #takeBody(limit: number): Promise<Buffer> {
    const body = await readBody(this.req, limit, listener => {
      this.#abortListener = listener
    })
    this.received = body.length
    if (turnIsSpent()) await nextTurn()
    return body
  }

  /** Whether the request came over HTTP/2. */
  get isHttp2(): boolean {
    return !(this.res instanceof ServerResponse)
  }

  /** Asks an HTTP/2 client to open another connection for its next requests (GOAWAY). Does nothing over HTTP/1.1. */
  leaveConnection(): void {
    this.#wire.leaveConnection()
  }

  setHeader(name: string, value: string | readonly string[]): void {
    this.#extra ??= []
    if (typeof value === 'string') this.#extra.push(name, value)
    else for (const each of value) this.#extra.push(name, each)
  }

  sendBytes(status: number, contentType: string, body: Buffer | readonly Buffer[] | FilledBody): Promise<void> {
    if (this.answered || this.#wire.closed) return DONE
    this.status = status
    const audited = this.auditing?.answers(status)
    return audited === undefined
      ? this.#sendWhole(status, contentType, body)
      : audited.then(() => this.#sendWhole(status, contentType, body))
  }

  /**
   * Sends status, headers and body. Resolves when a long body has been written; a short one may still be in the
   * connection's buffer.
   */
  #sendWhole(status: number, contentType: string, body: Buffer | readonly Buffer[] | FilledBody): Promise<void> {
    const { single, long, length } = shapeOf(body)
    this.sent = length
    this.why?.answersIn(contentType)
    const headers = responseHeaders(this.auditId, contentType, this.#extra, this.#warnings)
    if (this.method === 'HEAD') {
      this.#wire.bodiless(status, headers, length)
      return DONE
    }
    if (length > GZIP_FROM && this.#host.compressAnswers && acceptsGzip(this.headers)) {
      headers.push('Content-Encoding', 'gzip')
      if (!headers.includes('Accept-Encoding')) headers.push('Vary', 'Accept-Encoding')
      this.#wire.head(status, headers, undefined)
      return sendCompressed(this.#wire, long ?? filledWith([single], length), this.#host.memory)
    }
    if (long === undefined) {
      this.#wire.whole(status, headers, single)
      return DONE
    }
    this.#wire.head(status, headers, length)
    return sendLong(this.#wire, long, this.#host.memory)
  }

  /** Sends a response without a body. */
  async sendEmpty(status: number): Promise<void> {
    if (this.answered || this.#wire.closed) return
    this.status = status
    await this.auditing?.answers(status)
    this.#wire.bodiless(status, responseHeaders(this.auditId, '', this.#extra), undefined)
  }

  async sendStatusError(error: StatusError): Promise<void> {
    const retryAfter = error.status.details?.retryAfterSeconds
    if (retryAfter !== undefined && retryAfter > 0) this.setHeader('Retry-After', String(retryAfter))
    if (error.code === 413) this.#wire.discardBody()
    const encoding = error instanceof DeadlineError ? error.answer : this.#host.encodeStatus(error.status, this.headers.accept)
    const { contentType, bytes, isUnaccepted } = await encoding
    if (!isUnaccepted) this.auditing?.status(error.status)
    this.why?.answersStatus(error.status)
    await this.sendBytes(finalCode(error.code), contentType, bytes)
  }

  stream(status: number, contentType: string, mayCompress = false): StreamWriter {
    const stream = new WireStream(this.#wire, this.#host.memory)
    if (this.answered || this.#wire.closed) return stream
    this.#begins(status, contentType)
    const headers = responseHeaders(this.auditId, contentType, this.#extra, this.#warnings)
    const isCompressed = mayCompress && acceptsGzip(this.headers)
    if (isCompressed) headers.push('Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding')
    this.#wire.head(status, headers, undefined)
    return isCompressed ? new GzipStream(stream, this.#host.memory) : stream
  }

  #begins(status: number, contentType?: string): void {
    this.status = status
    this.auditing?.begins(status)
    this.why?.begins(contentType)
  }

  /** Closes the connection as soon as a response begins: the client receives nothing. */
  withholdResponse(): void {
    this.#wire = withheldResponse(this.#wire)
  }

  /** Closes the connection of a response that has begun and cannot be completed. */
  destroy(): void {
    this.#wire.destroy()
  }
}
