import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DialError, dialError } from '../../lib/dial-error.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { onAbort } from '../../lib/on-abort.ts'
import { trustedCertificates } from '../../lib/trusted-certificates.ts'
import { serverResponse } from '../../meta/server-response.ts'
import { isStatusError } from '../../meta/status.ts'
import { WebhookCallError } from './call-error.ts'
import { type ResolveService, type WebhookClientConfig, type WebhookTarget, webhookTarget } from './target.ts'

/** How long a call may take, and who waits for it. */
export interface PostOptions {
  /** How long the webhook has, in milliseconds; it is told in whole seconds, rounded up. */
  readonly timeoutMs: number
  /** Of the request that waits for it. */
  readonly signal: AbortSignal
}

interface Client {
  readonly target: WebhookTarget
  readonly agent: Agent
}

interface Answer {
  readonly status: number
  readonly response: IncomingMessage
  readonly body: Buffer
}

/** Configurations whose connections are kept (client-go keeps as many clients). */
const MAX_CLIENTS = 200
const IDLE_MS = 90_000
const MAX_IDLE_CONNECTIONS = 25
const MAX_BODY_BYTES = 64 << 20
/** Of an answer that says when to come again. */
const MAX_RETRIES = 10
/** Longer than any webhook has; a timer that is set to more than 2^31 ms ends at once. */
const MAX_RETRY_MS = 3_600_000
const DEADLINE = 'context deadline exceeded'
const CANCELED = 'context canceled'

/**
 * Calls webhooks: one for all of a server. Connections are kept and used again, by what a configuration says of where the webhook is.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#contacting-the-webhook
 */
export class WebhookClients {
  private readonly resolve: ResolveService
  private readonly clients = new Map<string, Client>()

  constructor(resolve: ResolveService) {
    this.resolve = resolve
  }

  /**
   * Posts JSON, and resolves with the body of an answer that tells success. Throws a WebhookCallError for anything else: nobody there, a certificate that is not trusted, another
   * status, no answer in time. Its text names the URL, not the webhook.
   */
  async post(config: WebhookClientConfig, body: string | Buffer, { timeoutMs, signal }: PostOptions): Promise<Buffer> {
    const { target, agent } = this.clientFor(config)
    const query = `?timeout=${Math.ceil(timeoutMs / 1000)}s`
    const ending = endingOf(timeoutMs, signal)
    const failed = (why: string): WebhookCallError =>
      new WebhookCallError(`Post ${JSON.stringify(target.url + query)}: ${ending.why() ?? why}`, { canceled: ending.why() === CANCELED })
    try {
      for (let attempt = 0; ; attempt++) {
        const answer = await this.ask(target, agent, target.path + query, body, ending.signal)
        if (answer.status >= 200 && answer.status <= 206) return answer.body
        const again = attempt < MAX_RETRIES ? retryAfterMs(answer) : undefined
        if (again === undefined) throw failureOf(answer)
        await sleep(again, undefined, { signal: ending.signal })
      }
    } catch (error) {
      throw error instanceof WebhookCallError ? error : failed(errorMessage(error))
    } finally {
      ending.dispose()
    }
  }

  /** Ends the connections that are kept. */
  close(): void {
    for (const { agent } of this.clients.values()) agent.destroy()
    this.clients.clear()
  }

  private clientFor(config: WebhookClientConfig): Client {
    const key = JSON.stringify([config.url, config.service, config.caBundle])
    const known = this.clients.get(key)
    if (known) {
      this.clients.delete(key)
      this.clients.set(key, known)
      return known
    }
    const made = { target: webhookTarget(config, this.resolve), agent: agentFor(config) }
    this.clients.set(key, made)
    if (this.clients.size > MAX_CLIENTS) {
      const [[oldest, { agent }] = [key, made]] = this.clients
      agent.destroy()
      this.clients.delete(oldest)
    }
    return made
  }

  private async ask(target: WebhookTarget, agent: Agent, path: string, body: string | Buffer, signal: AbortSignal): Promise<Answer> {
    const { host, port } = await target.dial()
    for (;;) {
      let request: ClientRequest | undefined
      try {
        const response = await new Promise<IncomingMessage>((resolve, reject) => {
          request = httpsRequest({
            agent,
            host,
            port,
            ...(isIP(target.serverName) === 0 && { servername: target.serverName }),
            method: 'POST',
            path,
            headers: {
              host: target.authority,
              accept: 'application/json, */*',
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(body),
              'user-agent': 'kube-apiserver-admission',
            },
            signal,
          })
          request.on('error', reject)
          request.on('response', resolve)
          request.end(body)
        })
        return { status: response.statusCode ?? 0, response, body: await bodyOf(response) }
      } catch (error) {
        if (signal.aborted || error instanceof DialError) throw error
        // It was closed by the other side while nobody used it.
        if (request?.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(codesOf(error).code ?? '')) continue
        throw wordsOf(error, host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)
      }
    }
  }
}

/** The end of a call: its time is over, or nobody waits for it any more. */
interface Ending {
  readonly signal: AbortSignal
  /** In Go's words; undefined where it has not come. */
  why(): string | undefined
  dispose(): void
}

/** Ends the call at the timeout, or when nobody waits any more. */
function endingOf(timeoutMs: number, waiting: AbortSignal): Ending {
  const controller = new AbortController()
  let why: string | undefined
  const end = (text: string) => (): void => {
    why ??= text
    controller.abort()
  }
  const timer = setTimeout(end(DEADLINE), timeoutMs)
  const gone = (): void => end(isStatusError(waiting.reason, 'Timeout') ? DEADLINE : CANCELED)()
  if (waiting.aborted) gone()
  const release = onAbort(waiting, gone)
  return {
    signal: controller.signal,
    why: () => why,
    dispose() {
      clearTimeout(timer)
      release()
    },
  }
}

/** Keeps connections open between calls. Throws a WebhookCallError where the bundle holds no certificate. */
function agentFor({ caBundle }: WebhookClientConfig): Agent {
  const ca = caBundle ? Buffer.from(caBundle, 'base64').toString() : undefined
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----'))
    throw new WebhookCallError('unable to load root certificates: unable to parse bytes as PEM block', { isConfiguration: true })
  return new Agent({
    keepAlive: true,
    timeout: IDLE_MS,
    maxFreeSockets: MAX_IDLE_CONNECTIONS,
    ALPNProtocols: ['http/1.1'],
    ...(ca !== undefined && trustedCertificates(ca)),
  })
}

/** Bounded: a webhook must not fill the memory. */
async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  const pieces: AsyncIterable<Buffer> = response
  for await (const chunk of pieces) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_BODY_BYTES) throw new DialError('unexpected error when reading response body. Please retry. Original error: http: response body too large')
  }
  return Buffer.concat(chunks)
}

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
function retryAfterMs({ status, response }: Answer): number | undefined {
  if (status !== 429 && status < 500) return undefined
  const seconds = response.headers['retry-after']
  return seconds !== undefined && /^\d+$/.test(seconds) ? Math.min(Number(seconds) * 1000, MAX_RETRY_MS) : undefined
}

/** What an answer that is no success says: its Status, or what its code stands for. */
function failureOf({ status, response, body }: Answer): WebhookCallError {
  const told = statusIn(body)
  if (told) return new WebhookCallError(told.message, { code: told.code })
  const type = response.headers['content-type']
  const said = type === undefined || type.startsWith('text/') ? body.toString().trim() : 'unknown'
  return new WebhookCallError(serverResponse(status, undefined, said).message, { code: status })
}

function statusIn(body: Buffer): { readonly message: string; readonly code: number } | undefined {
  try {
    const { kind = 'Status', apiVersion = 'v1', status, message = '', code = 0 } = JSON.parse(body.toString())
    return kind === 'Status' && apiVersion === 'v1' && status === 'Failure' ? { message, code } : undefined
  } catch {
    return undefined
  }
}
