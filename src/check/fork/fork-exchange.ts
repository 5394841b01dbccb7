import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Exchange, StreamWriter } from '../../endpoints/exchange.ts'
import { type FilledBody, wholeOf } from '../../lib/filled-body.ts'
import type { RequestContext, RequestInfo, User } from '../../meta/context.ts'
import type { RequestNotes } from '../../meta/request-notes.ts'
import { failure } from '../../meta/status.ts'
import { parseRequestInfo } from '../../server/filters/request-info.ts'

/** A request to a fork. */
export interface ForkRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  /** Optional. The query, without `?`. */
  readonly search?: string
  /** Optional. Media type of the body. */
  readonly contentType?: string
  /** Optional. Defaults to an empty body. */
  readonly body?: Buffer
  /** User of the request, who is authorized as by a server. */
  readonly user: User
  /** User agent, from which the field manager is derived if the request names none. */
  readonly userAgent: string
  /** Time of receipt, in milliseconds since the epoch. */
  readonly now: number
  /** Optional. Records the steps of the request. */
  readonly notes?: RequestNotes | undefined
  /** Called instead of a webhook, with the review as JSON. Resolves with the response. */
  readonly reviewInstead: NonNullable<RequestContext['reviewInstead']>
}

/** Requests to a fork have no deadline and no client that could leave. */
const ENDLESS = new AbortController().signal
/** Body of requests without one, and of responses before there is one. */
const NO_BODY = Buffer.alloc(0)

/** An exchange without a connection. The response is in `status` and `body`. */
export class ForkExchange implements Exchange, RequestContext {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[] = []
  readonly remoteAddress = ''
  readonly asksUpgrade = false
  readonly auditId = randomUUID()
  readonly info: RequestInfo
  readonly user: User
  readonly userAgent: string
  readonly receivedAt: number
  readonly signal: AbortSignal = ENDLESS
  readonly why: RequestNotes | undefined
  readonly reviewInstead: NonNullable<RequestContext['reviewInstead']>
  /** Set by endpoints for metrics, which a fork does not expose. */
  counted: Exchange['counted']
  /** Texts of `Warning` headers, each once. */
  readonly warnings = new Set<string>()
  /** Status code of the response. 0 until there is one. */
  status = 0
  /** Body of the response. */
  body: Buffer = NO_BODY
  readonly #requestBody: Buffer

  constructor({ method, path, search = '', contentType, body = NO_BODY, user, userAgent, now, notes, reviewInstead }: ForkRequest) {
    this.method = method
    this.path = path
    this.search = search
    this.query = new URLSearchParams(search)
    this.headers = {
      accept: 'application/json',
      'content-length': String(body.length),
      ...(contentType !== undefined && { 'content-type': contentType }),
    }
    this.info = parseRequestInfo(method, path, () => this.query)
    this.user = user
    this.userAgent = userAgent
    this.receivedAt = now
    this.why = notes
    this.reviewInstead = reviewInstead
    this.#requestBody = body
  }

  get ctx(): RequestContext {
    return this
  }

  warn(text: string): void {
    this.warnings.add(text)
  }

  /** Throws 413 if the body is longer than the limit. */
  async readBody(limit: number): Promise<Buffer> {
    if (this.#requestBody.length > limit) throw failure(413, 'RequestEntityTooLarge', `limit is ${limit}`)
    return this.#requestBody
  }

  /** Keeps the response instead of sending it. Pieces are joined. */
  async sendBytes(status: number, _contentType: string, body: Buffer | readonly Buffer[] | FilledBody): Promise<void> {
    this.status = status
    this.body = wholeBody(body)
  }

  /** Headers of responses are not kept. */
  setHeader(): void {}

  /** Requests of a fork are not counted. */
  delegate(): void {}

  bodyStream(): undefined {
    return undefined
  }

  sendStatusError(): Promise<void> {
    throw new Error('endpoints throw their errors')
  }

  stream(): StreamWriter {
    throw new Error('a fork serves no watches')
  }

  relay(): Promise<void> {
    throw new Error('a fork has no other server')
  }

  hijack(): never {
    throw new Error('there is no connection')
  }
}

const isPieces = (body: readonly Buffer[] | FilledBody): body is readonly Buffer[] => Array.isArray(body)

/** Joins a body that is sent in parts. */
function wholeBody(body: Buffer | readonly Buffer[] | FilledBody): Buffer {
  if (Buffer.isBuffer(body)) return body
  return isPieces(body) ? Buffer.concat(body) : wholeOf(body)
}
