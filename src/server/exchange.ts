import { randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { RequestAudit } from '../audit/request-audit.ts'
import type { Exchange, StreamWriter } from '../endpoints/exchange.ts'
import type { SeatRequest } from '../flow/queued-requests.ts'
import type { BufferPool } from '../lib/buffer-pool.ts'
import type { Clock } from '../lib/clock.ts'
import { type FilledBody, filledWith } from '../lib/filled-body.ts'
import { gatheredStream } from '../lib/gathered-stream.ts'
import { invariant } from '../lib/invariant.ts'
import { LightSignal } from '../lib/light-signal.ts'
import { fieldsWithout } from '../lib/raw-fields.ts'
import { inNextTurn, nextTurn, turnIsSpent } from '../lib/turn.ts'
import type { AuditRecord } from '../meta/audit.ts'
import type { RequestContext, RequestInfo, User } from '../meta/context.ts'
import type { StatusError } from '../meta/status.ts'
import type { RequestRecord } from '../why/request-record.ts'
import { type AnyRequest, type AnyResponse, wireOf } from './any-http.ts'
import { DeadlineError } from './deadline-error.ts'
import { acceptsGzip, sendCompressed, sendLong, shapeOf } from './long-body.ts'
import { parseQuery } from './query.ts'
import { readBody } from './read-body.ts'
import { parseTarget, type TargetFault } from './request-target.ts'
import { finalCode, type StatusBody, type StatusEncoder } from './status-body.ts'
import { WireStream } from './stream-writer.ts'
import { upgradeOf } from './upgrade.ts'
import { Warnings } from './warnings.ts'
import type { Wire } from './wire.ts'
import { withheldAnswer } from './withheld-answer.ts'

/** A whole answer above this many bytes is compressed for who accepts it. */
const GZIP_FROM = 128 * 1024

const NOBODY: User = { name: '', groups: [] }
const DONE = Promise.resolve()
/** One for all: a thousand watchers that go at once would hold the event loop for their stack traces. */
const GONE = new DOMException('The client has gone', 'AbortError')

/** What an exchange needs to know of the server. */
export interface ExchangeHost {
  encodeStatus: StatusEncoder
  readonly compressAnswers: boolean
  /** What long answers are written in. */
  readonly memory: BufferPool
  /** Fields, by their names in lower case, that nobody sees once it is known for whom the request is: they speak of users to other servers, too. */
  readonly isHidden?: ((field: string) => boolean) | undefined
  /** Default: the machine's. */
  readonly clock?: Clock | undefined
}

/** One request and its answer; also the request's context, for they live and die together and each request makes only one object. `url`: what it is for, where that is not all that the client sent. */
export class HttpExchange implements Exchange, RequestContext {
  readonly req: AnyRequest
  readonly res: AnyResponse
  readonly method: string
  readonly path: string
  readonly search: string
  /** Why the path can't be read; undefined where it can. */
  readonly fault: TargetFault | undefined
  readonly headers: IncomingHttpHeaders
  readonly receivedAt: number
  readonly auditId: string
  user: User = NOBODY
  /** Absent where the request is not audited. */
  auditing: RequestAudit | undefined
  /** Set by `withWhy`. */
  why: RequestRecord | undefined
  /** By the steady clock; 0: none. */
  deadline = 0
  longRunning = false
  /** Whether the user may do what the request is for. Set by `withAuthorization`. */
  isAuthorized = false
  /** `disturbed` and `webhookFault` are set by `withFaults`. */
  disturbed: Exchange['disturbed']
  webhookFault: RequestContext['webhookFault']
  /** Held while the request is worked on here; undefined: none is. */
  place: { leave(): void } | undefined
  /** Another server does it. */
  isDelegated = false
  /** What it has in its priority level; undefined where it has none. */
  seats: SeatRequest | undefined
  /** Milliseconds for which it waited for its turn. */
  queuedMs = 0
  /** Status code of the answer, 0 before there is one. */
  status = 0
  /** Bytes of the request's body; -1 while it has not been read. */
  received = -1
  /** Bytes of the answer's body, before compression. */
  sent = 0
  private readonly started: number
  private parsed: RequestInfo | undefined
  private readonly host: ExchangeHost
  private wire: Wire
  private parsedQuery: URLSearchParams | undefined
  private extra: string[] | undefined
  private warnings: Warnings | undefined
  private controller: { readonly signal: AbortSignal; abort(reason?: unknown): void } | undefined
  private aborted: StatusError | undefined
  private abortListener: ((reason: StatusError) => void) | undefined
  private body: Promise<Buffer> | undefined
  private streamed: WireStream | undefined

  constructor(host: ExchangeHost, req: AnyRequest, res: AnyResponse, url = req.url ?? '/') {
    this.host = host
    this.req = req
    this.res = res
    this.wire = wireOf(res)
    this.method = req.method ?? 'GET'
    const { path, search, fault } = parseTarget(url)
    this.path = path
    this.search = search
    this.fault = fault
    this.headers = req.headers
    const asked = req.headers['audit-id']
    this.auditId = typeof asked === 'string' && asked !== '' ? asked : randomUUID()
    this.receivedAt = host.clock === undefined ? Date.now() : host.clock.now()
    this.started = performance.now()
  }

  /** Milliseconds since the request came. */
  elapsed(): number {
    return performance.now() - this.started
  }

  get audit(): AuditRecord | undefined {
    return this.auditing?.event
  }

  watchInitialized(): void {
    this.leavePlace()
  }

  /** As the client sent it. */
  get uri(): string {
    return this.req.url ?? '/'
  }

  get ctx(): RequestContext {
    return this
  }

  /** What the request will do. It is set once, before anybody is asked whether it may. */
  get info(): RequestInfo {
    invariant(this.parsed, 'the request has not been parsed')
    return this.parsed
  }

  set info(info: RequestInfo) {
    invariant(this.parsed === undefined, 'a request is parsed once')
    this.parsed = info
  }

  get isParsed(): boolean {
    return this.parsed !== undefined
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

  /** Nobody is there to be answered. */
  get clientGone(): boolean {
    return this.wire.closed
  }

  get isStreaming(): boolean {
    return this.streamed !== undefined
  }

  warn(text: string): void {
    this.why?.note({ step: 'warning', text })
    this.warnings ??= new Warnings()
    this.warnings.add(text)
  }

  get rawHeaders(): readonly string[] {
    const { isHidden } = this.host
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
    if (this.answered || this.wire.closed) {
      body.destroy()
      return
    }
    this.begins(status)
    const all = ['Audit-Id', this.auditId, 'Cache-Control', 'no-cache, private', ...(this.extra ?? []), ...headers]
    if (this.method === 'HEAD' || status === 204 || status === 304) {
      body.destroy()
      this.wire.bodiless(status, all, undefined)
      return
    }
    try {
      this.wire.head(status, all, undefined)
      await pipeline(gatheredStream(body), this.wire.sink())
    } catch {
      // Either side broke off, or what came is no answer that can be passed on: it can't be ended well.
      body.destroy()
      this.wire.destroy()
    }
  }

  hijack(status: number): { readonly socket: Duplex; readonly head: Buffer } {
    const upgrade = upgradeOf(this.req)
    if (upgrade === undefined || this.answered) throw new Error('there is no connection to take')
    this.begins(status)
    upgrade.detach()
    return upgrade
  }

  delegate(): void {
    this.isDelegated = true
    this.leavePlace()
  }

  /** Gives up the place in flight that it holds. */
  leavePlace(): void {
    this.place?.leave()
    this.place = undefined
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
    this.received = body.length
    if (turnIsSpent()) await nextTurn()
    return body
  }

  /** The request came over HTTP/2. */
  get isHttp2(): boolean {
    return !(this.res instanceof ServerResponse)
  }

  /** Asks the client to take another connection for its next requests, where this is one of HTTP/2. */
  leaveConnection(): void {
    this.wire.leaveConnection()
  }

  setHeader(name: string, value: string | readonly string[]): void {
    this.extra ??= []
    if (typeof value === 'string') this.extra.push(name, value)
    else for (const each of value) this.extra.push(name, each)
  }

  sendBytes(status: number, contentType: string, body: Buffer | readonly Buffer[] | FilledBody): Promise<void> {
    if (this.answered || this.wire.closed) return DONE
    this.status = status
    const audited = this.auditing?.answers(status)
    return audited === undefined ? this.sendWhole(status, contentType, body) : audited.then(() => this.sendWhole(status, contentType, body))
  }

  private sendWhole(status: number, contentType: string, body: Buffer | readonly Buffer[] | FilledBody): Promise<void> {
    const { single, long, length } = shapeOf(body)
    this.sent = length
    this.why?.answersIn(contentType)
    const headers = this.headerList(contentType)
    if (this.method === 'HEAD') {
      this.wire.bodiless(status, headers, length)
      return DONE
    }
    if (length > GZIP_FROM && this.host.compressAnswers && acceptsGzip(this.headers)) {
      headers.push('Content-Encoding', 'gzip')
      if (!headers.includes('Accept-Encoding')) headers.push('Vary', 'Accept-Encoding')
      this.wire.head(status, headers, undefined)
      return sendCompressed(this.wire, long ?? filledWith([single], length), this.host.memory)
    }
    if (long === undefined) {
      this.wire.whole(status, headers, single)
      return DONE
    }
    this.wire.head(status, headers, length)
    return sendLong(this.wire, long, this.host.memory)
  }

  /** Sends an answer without a body. */
  async sendEmpty(status: number): Promise<void> {
    if (this.answered || this.wire.closed) return
    this.status = status
    await this.auditing?.answers(status)
    this.wire.bodiless(status, ['Audit-Id', this.auditId, 'Cache-Control', 'no-cache, private', ...(this.extra ?? [])], undefined)
  }

  async sendStatusError(error: StatusError): Promise<void> {
    const retryAfter = error.status.details?.retryAfterSeconds
    if (retryAfter !== undefined && retryAfter > 0) this.setHeader('Retry-After', String(retryAfter))
    if (error.code === 413) this.wire.discardBody()
    const encoded: StatusBody | Promise<StatusBody> = error instanceof DeadlineError ? error.answer : this.host.encodeStatus(error.status, this.headers.accept)
    const { contentType, bytes, isUnaccepted } = encoded instanceof Promise ? await encoded : encoded
    if (!isUnaccepted) this.auditing?.status(error.status)
    this.why?.answersStatus(error.status)
    await this.sendBytes(finalCode(error.code), contentType, bytes)
  }

  stream(status: number, contentType: string): StreamWriter {
    const stream = new WireStream(this.wire, this.host.memory)
    if (this.answered || this.wire.closed) return stream
    this.begins(status, contentType)
    this.streamed = stream
    this.wire.head(status, this.headerList(contentType), undefined)
    return stream
  }

  private begins(status: number, contentType?: string): void {
    this.status = status
    this.auditing?.begins(status)
    this.why?.begins(contentType)
  }

  /** Whatever it is answered with, the client gets nothing: the connection is cut then. */
  withholdAnswer(): void {
    this.wire = withheldAnswer(this.wire)
  }

  /** Cuts the connection where an answer has begun and can't be ended well. */
  destroy(): void {
    this.wire.destroy()
  }

  private headerList(contentType: string): string[] {
    const headers = ['Audit-Id', this.auditId, 'Cache-Control', 'no-cache, private', ...(contentType === '' ? [] : ['Content-Type', contentType])]
    if (this.extra !== undefined) headers.push(...this.extra)
    if (this.warnings !== undefined) for (const value of this.warnings.headers()) headers.push('Warning', value)
    return headers
  }
}
