import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SecureContextOptions } from 'node:tls'
import { readForeignJson } from '../codec/foreign-json.ts'
import { boundExchange } from '../lib/bounded-exchange.ts'
import { type Dial, DialledAgent, DialledTlsAgent } from '../lib/connect-proxy.ts'
import { DialError, dialError } from '../lib/dial-error.ts'
import { readEarlyResponse } from '../lib/early-response.ts'
import { errorMessage } from '../lib/error-message.ts'
import { readBounded } from '../lib/read-bounded.ts'
import { checkServerName } from '../lib/server-name.ts'
import { TlsAgent } from '../lib/tls-agent.ts'
import { isJsonObject, objectIn } from '../meta/object.ts'
import { serverResponse } from '../meta/server-response.ts'
import { failure, type StatusError } from '../meta/status.ts'
import type { AnswerRoom } from './answer-room.ts'
import type { Answer, Destination } from './destination.ts'
import { BodyError, plainBody } from './plain-body.ts'
import { MOST_REQUESTS, RedirectError, redirected, type Sent, urlOf } from './redirect.ts'

/** How long an answer may be; a longer one is none. */
export interface AnswerLimits {
  readonly maxBytes?: number
  /** For it and the answers to other calls. */
  readonly room?: AnswerRoom
}

const IDLE_MS = 90_000
const MAX_IDLE_CONNECTIONS = 25
/** To one server: its answers may be long in coming, and others wait behind. */
const MAX_CONNECTIONS = 1_000
const KEPT = { keepAlive: true, timeout: IDLE_MS, maxSockets: MAX_CONNECTIONS, maxFreeSockets: MAX_IDLE_CONNECTIONS }
const MAX_BODY_BYTES = 64 << 20
/** How much of an answer that is no Status is quoted; client-go's. */
const MAX_TEXT_BYTES = 2048
/** A longer body is no Status. */
const MAX_STATUS_BYTES = 1 << 20
/** Of an answer that says when to come again. */
const MAX_RETRIES = 10
/** Longer than any call has; a timer that is set to more than 2^31 ms ends at once. */
const MAX_RETRY_MS = 3_600_000

/** Keeps connections open between calls, as many as client-go. */
export function keptConnections(tls: SecureContextOptions & { readonly rejectUnauthorized?: boolean }, dial?: Dial): HttpsAgent {
  const options = { ...KEPT, ALPNProtocols: ['http/1.1'], checkServerIdentity: checkServerName, ...tls }
  return dial ? new DialledTlsAgent(dial, options) : new TlsAgent(options)
}

/** The same of plain HTTP. */
export const keptPlainConnections = (dial?: Dial): HttpAgent => (dial ? new DialledAgent(dial, KEPT) : new HttpAgent(KEPT))

/**
 * Posts JSON, follows redirects, and repeats it while the response asks for a retry. Throws a DialError in Go's words if there is no response, a RedirectError if that of a redirect is
 * missing, or what the signal was aborted with.
 */
export async function post(to: Destination, body: string | Buffer, signal: AbortSignal, limits: AnswerLimits = {}): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const answer = await follow({ to, body }, signal, limits)
    const again = attempt < MAX_RETRIES && !isSuccess(answer) ? retryAfterMs(answer) : undefined
    if (again === undefined) return answer
    await sleep(again, undefined, { signal })
  }
}

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status <= 206

/** The response that does not redirect. */
async function follow(first: Sent, signal: AbortSignal, limits: AnswerLimits): Promise<Answer> {
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

async function ask({ to, body }: Sent, signal: AbortSignal, limits: AnswerLimits): Promise<Answer> {
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
      return { status: response.statusCode ?? 0, headers: response.headers, body: await readBounded(plainBody(response), { maxBytes, tooLong, room }) }
    } catch (error) {
      if (signal.aborted || error instanceof DialError) throw error
      // It was closed by the other side while nobody used it.
      if (request?.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(codesOf(error).code ?? '')) continue
      const told = wordsOf(error, host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)
      certificates?.failed(told)
      throw told
    }
  }
}

const tooLong = (): Error => new BodyError('http: response body too large')

/** What Node and OpenSSL call an error. */
const codesOf = (error: unknown): NodeJS.ErrnoException & { readonly reason?: string } => (error instanceof Error ? error : new Error(String(error)))

/** A failure to connect in Go’s words, which clients and tests match on. */
function wordsOf(error: unknown, address: string): Error {
  const { code, reason } = codesOf(error)
  if (code === 'EPROTO' || reason === 'wrong version number' || code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return new DialError('http: server gave HTTP response to HTTPS client')
  return dialError(error, address)
}

/** When an answer asks to come again; undefined where it does not. */
function retryAfterMs({ status, headers }: Answer): number | undefined {
  if (status !== 429 && status < 500) return undefined
  const seconds = headers['retry-after']
  return seconds !== undefined && /^\d+$/.test(seconds) ? Math.min(Number(seconds) * 1000, MAX_RETRY_MS) : undefined
}

/** What an answer that is no success says: its Status, or what its code stands for. */
export async function failureOf({ status, headers, body }: Answer): Promise<StatusError> {
  const shown = await statusIn(body)
  if (shown) return shown
  const type = headers['content-type']
  return serverResponse(status, undefined, type === undefined || type.startsWith('text/') ? body.subarray(0, MAX_TEXT_BYTES).toString().trim() : 'unknown')
}

async function statusIn(body: Buffer): Promise<StatusError | undefined> {
  if (body.length > MAX_STATUS_BYTES) return undefined
  try {
    const { kind = 'Status', apiVersion = 'v1', status, message = '', code = 0, reason = '', details } = objectIn(await readForeignJson(body))
    return kind === 'Status' && apiVersion === 'v1' && status === 'Failure'
      ? failure(Number(code), String(reason), String(message), isJsonObject(details) ? details : undefined)
      : undefined
  } catch {
    return undefined
  }
}
