import { randomUUID } from 'node:crypto'
import type { Authenticator, Identity } from '../auth/authn/authenticator.ts'
import { MASTERS } from '../auth/authn/authenticator.ts'
import { forbidden } from '../auth/authz/forbidden.ts'
import { asksImpersonation, impersonate } from '../auth/impersonation.ts'
import type { Handler } from '../endpoints/exchange.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import type { Logger } from '../lib/log.ts'
import { nextLongTurn, nextTurn, turnIsLong, turnIsSpent } from '../lib/turn.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { User } from '../meta/context.ts'
import { quote } from '../meta/field-error.ts'
import { badRequestLine, PlainTextError } from '../meta/plain-text-error.ts'
import { badRequestError, internalServerError, StatusError, serviceUnavailableError, unauthorizedError } from '../meta/status.ts'
import type { AnyRequest, AnyResponse } from './any-http.ts'
import type { AuthMetrics } from './auth-metrics.ts'
import { HttpExchange } from './exchange.ts'
import { Deadlines, setDeadline } from './filters/deadline.ts'
import type { InFlight } from './filters/in-flight.ts'
import { isLongRunning, parseRequestInfo } from './filters/request-info.ts'
import { MAX_PATH_LENGTH, MAX_QUERY_PARAMETERS } from './limits.ts'
import { hasTooManyParameters } from './query.ts'
import type { RequestMetrics } from './request-metrics.ts'
import type { StatusEncoder } from './status-body.ts'

export interface PipelineOptions {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly encodeStatus: StatusEncoder
  readonly compressAnswers: boolean
  readonly inFlight: InFlight
  readonly metrics: RequestMetrics
  readonly authMetrics: AuthMetrics
  readonly requestTimeoutMs: number
  readonly log: Logger
  /** A line for every request. */
  readonly logRequests: boolean
}

/**
 * What every request goes through before its handler: recover → request info → deadline → authenticate → impersonate → limit in flight → authorize. Plain functions
 * in one place, not layers: each layer of middleware would cost a tenth of a small request.
 */
export class Pipeline {
  private readonly options: PipelineOptions
  private readonly open = new Set<HttpExchange>()
  private readonly deadlines = new Deadlines(this.open)
  private readonly streams = new Set<HttpExchange>()
  private draining = false
  private idle: (() => void) | undefined

  constructor(options: PipelineOptions) {
    this.options = options
  }

  /** Serves one request. Never rejects. `trusted`: who a connection of an unauthenticated listener is. */
  async serve(req: AnyRequest, res: AnyResponse, handler: Handler, trusted: User | undefined): Promise<void> {
    const url = req.url ?? '/'
    const mark = url.indexOf('?')
    const raw = mark < 0 ? url : url.slice(0, mark)
    const tooLong = raw.length > MAX_PATH_LENGTH
    const path = tooLong ? '/' : raw.includes('%') ? decode(raw) : raw
    const asked = req.headers['audit-id']
    const id = typeof asked === 'string' && asked !== '' ? asked : randomUUID()
    const exchange = new HttpExchange(this.options, req, res, path ?? raw, mark < 0 ? '' : url.slice(mark + 1), id)
    this.open.add(exchange)
    try {
      if (tooLong) throw badRequestError(`the path of a request has ${MAX_PATH_LENGTH} characters at most`)
      if (hasTooManyParameters(exchange.search)) throw badRequestError(`a query has ${MAX_QUERY_PARAMETERS} parameters at most`)
      exchange.info = parseRequestInfo(exchange.method, exchange.path, () => exchange.query)
      if (path === undefined) throw BAD_ESCAPE.test(raw) ? badRequestLine() : badRequestError(`invalid URL escape in ${JSON.stringify(raw)}`)
      if (turnIsSpent()) await nextTurn()
      await this.admit(exchange, handler, trusted)
      if (!exchange.answered && !exchange.clientGone && !req.destroyed) throw new Error('the handler has not answered')
    } catch (error) {
      await this.fail(exchange, error)
    } finally {
      this.open.delete(exchange)
      if (exchange.isParsed && exchange.answered) this.options.metrics.record(exchange)
      if (this.options.logRequests) this.log(exchange, url)
      if (this.draining && this.open.size === 0) this.idle?.()
    }
  }

  private log(exchange: HttpExchange, url: string): void {
    this.options.log.info('HTTP', {
      verb: exchange.isParsed ? exchange.info.verb : '',
      URI: url,
      latency: `${exchange.elapsed().toFixed(1)}ms`,
      userAgent: exchange.userAgent,
      'audit-ID': exchange.auditId,
      user: exchange.user.name,
      resp: exchange.status,
    })
  }

  private async admit(exchange: HttpExchange, handler: Handler, trusted: User | undefined): Promise<void> {
    const { authenticator, authorizer, inFlight, metrics, authMetrics, requestTimeoutMs } = this.options
    const info = exchange.info
    const long = isLongRunning(info)
    exchange.longRunning = long
    if (!long) setDeadline(exchange, requestTimeoutMs)

    let user: Identity = trusted
    if (user === undefined) {
      const begun = performance.now()
      const found = authenticator({ headers: exchange.headers, socket: exchange.req.socket })
      user = found instanceof Promise ? await found : found
      authMetrics.authenticated(user, begun)
      if (user === undefined || user === 'rejected') throw unauthorizedError()
    }
    exchange.user = user
    if (asksImpersonation(exchange.headers)) {
      user = await impersonate(user, exchange.req.rawHeaders, authorizer, exchange.signal)
      exchange.user = user
    }

    if (long) {
      if (this.draining) throw serviceUnavailableError('the server is shutting down')
      await this.authorize(exchange, user)
      const gauge = metrics.running(exchange)
      gauge.value++
      this.streams.add(exchange)
      try {
        await handler(exchange)
      } finally {
        this.streams.delete(exchange)
        gauge.value--
      }
      return
    }
    const place = inFlight.enter(info, user, exchange.receivedAt)
    this.deadlines.watch()
    try {
      await this.authorize(exchange, user)
      await handler(exchange)
    } finally {
      place.leave()
    }
  }

  private authorize(exchange: HttpExchange, user: User): Promise<void> | undefined {
    // Upstream asks about this group first, whatever the mode: here without a promise.
    if (user.groups.includes(MASTERS)) {
      this.options.authMetrics.authorized('allow', performance.now())
      return undefined
    }
    return this.ask(exchange, user)
  }

  private async ask(exchange: HttpExchange, user: User): Promise<void> {
    const { authorizer, authMetrics } = this.options
    const begun = performance.now()
    const { decision, reason } = await authorizer.authorize(user, exchange.info, exchange.signal).catch(error => {
      authMetrics.authorized('error', begun)
      throw error
    })
    authMetrics.authorized(decision, begun)
    if (decision !== 'allow') {
      exchange.setHeader('X-Content-Type-Options', 'nosniff')
      throw forbidden(user, exchange.info, reason)
    }
  }

  private async fail(exchange: HttpExchange, error: unknown): Promise<void> {
    if (error instanceof PlainTextError && !exchange.answered) return sendPlainText(exchange, error)
    const told = toldOf(error)
    // What was wrong may be as long as the body, and is written whole.
    if (turnIsLong()) await nextLongTurn()
    const clientGone = exchange.clientGone && !exchange.answered
    if (told.code >= 500 && !(error instanceof StatusError) && !clientGone)
      this.options.log.error('request failed', { path: exchange.path, auditID: exchange.auditId, error })
    if (!exchange.answered) await exchange.sendStatusError(told)
    else if (!exchange.res.writableEnded) exchange.destroy()
  }

  /**
   * Ends what is open: streams at once, by their signal; the rest is waited for. Resolves when nothing is open, or after `graceMs`.
   */
  async drain(graceMs: number): Promise<void> {
    this.draining = true
    for (const exchange of this.streams) exchange.abort(serviceUnavailableError('the server is shutting down'))
    if (this.open.size === 0) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>(resolve => {
      this.idle = resolve
      timer = setTimeout(resolve, graceMs)
    })
    clearTimeout(timer)
    for (const exchange of this.open) exchange.destroy()
  }
}

/** As Go's http.Error, with upstream's beginning of a 500. */
function sendPlainText(exchange: HttpExchange, { code, message }: PlainTextError): Promise<void> {
  const text = code === 500 ? escapeHtml(`Internal Server Error: ${quote(exchange.req.url ?? '/')}: ${message}`) : message
  exchange.setHeader('X-Content-Type-Options', 'nosniff')
  return exchange.sendBytes(code, 'text/plain; charset=utf-8', Buffer.from(code === 400 ? text : `${text}\n`))
}

/** What no handler has foreseen is the server's fault; only a body that the stack is too small for is the client's. */
function toldOf(error: unknown): StatusError {
  if (error instanceof StatusError) return error
  if (error instanceof RangeError && error.message === 'Maximum call stack size exceeded')
    return badRequestError('the body of the request is nested too deeply, or has too many faults to tell')
  return internalServerError(error instanceof Error ? error.message : String(error))
}

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/

/** Undefined where the escapes are not valid. */
function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
