import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SecureContextOptions } from 'node:tls'
import { isJsonObject, objectIn } from '../api/meta/object.ts'
import { readForeignJson } from '../codec/foreign-json.ts'
import { boundExchange } from '../lib/bounded-exchange.ts'
import { type Dial, DialledAgent, DialledTlsAgent } from '../lib/connect-proxy.ts'
import { DialError, dialError } from '../lib/dial-error.ts'
import { readEarlyResponse } from '../lib/early-response.ts'
import { errorMessage } from '../lib/error-message.ts'
import { readBounded } from '../lib/read-bounded.ts'
import { TlsAgent } from '../lib/tls-agent.ts'
import { serverResponse } from '../meta/server-response.ts'
import { failure, type StatusError } from '../meta/status.ts'
import type { CallResponse, Destination } from './destination.ts'
import { BodyError, plainBody } from './plain-body.ts'
import { MOST_REQUESTS, RedirectError, redirected, type Sent, urlOf } from './redirect.ts'
import type { ResponseBudget } from './response-budget.ts'

/** Limits of a response. A longer one is an error. */
export interface ResponseLimits {
  readonly maxBytes?: number
  /** Optional. Limit shared with other calls. */
  readonly room?: ResponseBudget
}

const IDLE_MS = 90_000
const MAX_IDLE_CONNECTIONS = 25
/** Maximum number of connections per server, because responses may be slow. */
const MAX_CONNECTIONS = 1_000
const KEPT = { keepAlive: true, timeout: IDLE_MS, maxSockets: MAX_CONNECTIONS, maxFreeSockets: MAX_IDLE_CONNECTIONS }
const MAX_BODY_BYTES = 64 << 20
/** Maximum length of an excerpt of a body that is not a Status, as in client-go. */
const MAX_TEXT_BYTES = 2048
/** Maximum size of a Status. */
const MAX_STATUS_BYTES = 1 << 20
/** Maximum number of retries after responses with Retry-After. */
const MAX_RETRIES = 10
/** Maximum delay in milliseconds. Longer than any call, and below 2^31, at which timers fire immediately. */
const MAX_RETRY_MS = 3_600_000

/** Agent that keeps as many idle connections as client-go. */
export function keptConnections(tls: SecureContextOptions & { readonly rejectUnauthorized?: boolean }, dial?: Dial): HttpsAgent {
  const options = { ...KEPT, ALPNProtocols: ['http/1.1'], ...tls }
  return dial ? new DialledTlsAgent(dial, options) : new TlsAgent(options)
}

/** Same as `keptConnections`, for plain HTTP. */
export const keptPlainConnections = (dial?: Dial): HttpAgent => (dial ? new DialledAgent(dial, KEPT) : new HttpAgent(KEPT))

/**
 * Posts JSON, follows redirects, and retries while the response has Retry-After. Throws a DialError with Go's message
 * if there is no response, a RedirectError if a redirect fails, or the abort reason of the signal.
 */
export async function post(
  to: Destination,
  body: string | Buffer,
  signal: AbortSignal,
  limits: ResponseLimits = {},
): Promise<CallResponse> {
  for (let attempt = 0; ; attempt++) {
    const answer = await postOnce(to, body, signal, limits)
    const again = attempt < MAX_RETRIES && !isSuccess(answer) ? retryAfterMs(answer) : undefined
    if (again === undefined) return answer
    await sleep(again, undefined, { signal })
  }
}

/** Same as `post`, without retries. */
export const postOnce = (to: Destination, body: string | Buffer, signal: AbortSignal, limits: ResponseLimits = {}): Promise<CallResponse> =>
  followRedirects({ to, body }, signal, limits)

export const isSuccess = ({ status }: CallResponse): boolean => status >= 200 && status <= 206

/** Follows redirects and returns the final response. */
async function followRedirects(first: Sent, signal: AbortSignal, limits: ResponseLimits): Promise<CallResponse> {
  let answer = await ask(first, signal, limits)
  let sent = first
  for (let requests = 1; ; requests++) {
    const next = redirected(sent, answer)
    if (next === undefined) return answer
    if (requests === MOST_REQUESTS) throw new RedirectError(answer.headers.location ?? '', `stopped after ${MOST_REQUESTS} redirects`)
    try {
      answer = await ask(next, signal, limits)
    } catch (error) {
      throw signal.aborted ? error : new RedirectError(urlOf(next.to), errorMessage(error))
    }
    sent = next
  }
}

/** Sends one request, again if a kept connection was closed while idle, and reads the response up to the limit. */
async function ask({ to, body }: Sent, signal: AbortSignal, limits: ResponseLimits): Promise<CallResponse> {
  const { agent, host, port, authority, serverName, path, headers, certificates } = to
  const { maxBytes = MAX_BODY_BYTES, room } = limits
  const begin = agent instanceof HttpsAgent ? httpsRequest : httpRequest
  for (;;) {
    let request: ClientRequest | undefined
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request = begin({
          agent,
          host,
          port,
          ...(isIP(serverName) === 0 && { servername: serverName }),
          method: body === undefined ? 'GET' : 'POST',
          path,
          headers: {
            host: authority,
            accept: 'application/json, */*',
            'accept-encoding': 'gzip',
            'content-type': 'application/json',
            ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
            ...headers,
          },
          signal,
        })
        boundExchange(request)
        readEarlyResponse(request)
        request.on('error', reject)
        request.on('response', resolve)
        request.end(body)
      })
      certificates?.answered(response.socket)
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: await readBounded(plainBody(response), { maxBytes, tooLong: bodyTooLarge, room }),
      }
    } catch (error) {
      if (signal.aborted || error instanceof DialError) throw error
      // The server closed the idle connection. Retry on a new one.
      if (request?.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(codesOf(error).code ?? '')) continue
      const told = connectionError(error, host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)
      certificates?.failed(told)
      throw told
    }
  }
}

const bodyTooLarge = (): Error => new BodyError('http: response body too large')

/** Code and reason of an error of Node or OpenSSL. */
const codesOf = (error: unknown): NodeJS.ErrnoException & { readonly reason?: string } =>
  error instanceof Error ? error : new Error(String(error))

/** Translates a connection error to Go's message, on which clients and tests match. */
function connectionError(error: unknown, address: string): Error {
  const { code, reason } = codesOf(error)
  if (code === 'EPROTO' || reason === 'wrong version number' || code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return new DialError('http: server gave HTTP response to HTTPS client')
  return dialError(error, address)
}

/** Delay from Retry-After in milliseconds. Undefined if the response does not ask for a retry. */
function retryAfterMs({ status, headers }: CallResponse): number | undefined {
  if (status !== 429 && status < 500) return undefined
  const seconds = headers['retry-after']
  return seconds !== undefined && /^\d+$/.test(seconds) ? Math.min(Number(seconds) * 1000, MAX_RETRY_MS) : undefined
}

/** Status of a failed response: its own, or one derived from its code. */
export async function responseFailure({ status, headers, body }: CallResponse): Promise<StatusError> {
  const shown = await statusIn(body)
  if (shown) return shown
  const type = headers['content-type']
  return serverResponse(
    status,
    undefined,
    type === undefined || type.startsWith('text/') ? body.subarray(0, MAX_TEXT_BYTES).toString().trim() : 'unknown',
  )
}

/** Parses a body as a failure Status. Undefined if it is not one. */
async function statusIn(body: Buffer): Promise<StatusError | undefined> {
  if (body.length > MAX_STATUS_BYTES) return undefined
  try {
    const {
      kind = 'Status',
      apiVersion = 'v1',
      status,
      message = '',
      code = 0,
      reason = '',
      details,
    } = objectIn(await readForeignJson(body))
    return kind === 'Status' && apiVersion === 'v1' && status === 'Failure'
      ? failure(Number(code), String(reason), String(message), isJsonObject(details) ? details : undefined)
      : undefined
  } catch {
    return undefined
  }
}
