import type { Agent } from 'node:https'
import type { WebhookClientConfig } from '../../api/admissionregistration/v1.types.ts'
import { callEnding } from '../../clients/call-ending.ts'
import type { CertificateMetrics } from '../../clients/certificate-metrics.ts'
import type { CallResponse, Destination } from '../../clients/destination.ts'
import { BodyError } from '../../clients/plain-body.ts'
import { isSuccess, keptConnections, post, responseFailure } from '../../clients/post.ts'
import { RedirectError } from '../../clients/redirect.ts'
import type { FollowedFiles } from '../../clients/remote-files.ts'
import { ResponseBudget } from '../../clients/response-budget.ts'
import type { Dial, Egress } from '../../lib/connect-proxy.ts'
import { CANCELED } from '../../lib/deadline.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { trustedCertificates } from '../../lib/trusted-certificates.ts'
import type { AuditRecord } from '../../meta/audit.ts'
import { WebhookCallError } from './call-error.ts'
import type { WebhookCredentials, WebhookUser } from './credentials.ts'
import { type ResolveService, type WebhookTarget, webhookTarget } from './target.ts'

/** Limits of a call, and the request that waits for it. */
export interface PostOptions {
  /** Timeout in milliseconds. Sent to the webhook in whole seconds, rounded up. */
  readonly timeoutMs: number
  /** Signal of the waiting request. */
  readonly signal: AbortSignal
  /** Audit record of the waiting request. */
  readonly audit?: AuditRecord | undefined
  /** Optional. The longest response, in bytes. Default: 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Trace context of the span around the call. */
  readonly traceparent?: string | undefined
}

/** Connections to the webhooks with one clientConfig. */
interface Client {
  readonly target: WebhookTarget
  /** Optional. Omitted if the webhook is called without credentials. */
  readonly user: WebhookUser | undefined
  /** Client certificate of the agent's connections. */
  shown: ClientCertificate
  /** Replaced if the client certificate changes. Calls in progress finish on the old one. */
  agent: Agent
  readonly dial: Dial | undefined
}

type ClientCertificate = Awaited<ReturnType<FollowedFiles['current']>>['client']

/** Options for the calls of one plugin, or of conversion. */
export interface WebhookClientsOptions {
  /** Optional. Memory for responses, which several clients may share. */
  readonly room?: ResponseBudget
  /** Optional. Default: no credentials. */
  readonly credentials?: WebhookCredentials | undefined
  /** Optional. Counts calls to webhooks with weak certificates. */
  readonly certificates?: CertificateMetrics | undefined
  readonly egress?: Pick<Egress, 'cluster' | 'controlplane'> | undefined
}

/** Maximum number of configurations with open connections; client-go caches as many clients. */
const MAX_CLIENTS = 200
/** User agent of kube-apiserver's admission, by which webhooks may recognize it. */
const HEADERS = { 'user-agent': 'kube-apiserver-admission' }

/**
 * Calls webhooks. Connections are kept alive and shared by all webhooks with the same clientConfig.
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#contacting-the-webhook
 */
export class WebhookClients {
  readonly #resolve: ResolveService
  readonly #clients = new Map<string, Client>()
  readonly room: ResponseBudget
  readonly #credentials: WebhookCredentials | undefined
  readonly #certificates: CertificateMetrics | undefined
  readonly #egress: NonNullable<WebhookClientsOptions['egress']>

  constructor(
    resolve: ResolveService,
    { room = new ResponseBudget(), credentials, certificates, egress = {} }: WebhookClientsOptions = {},
  ) {
    this.#resolve = resolve
    this.room = room
    this.#credentials = credentials
    this.#certificates = certificates
    this.#egress = egress
  }

  /**
   * Posts JSON and returns the body of a successful response. Throws a WebhookCallError otherwise: no connection, an
   * untrusted certificate, another status, or a timeout. Its message contains the URL, not the name of the webhook.
   */
  async post(
    config: WebhookClientConfig,
    body: string | Buffer,
    { timeoutMs, signal, audit, maxBytes, traceparent }: PostOptions,
  ): Promise<Buffer> {
    const client = this.#clientFor(config)
    const { target, user } = client
    const query = `?timeout=${Math.ceil(timeoutMs / 1000)}s`
    const ending = callEnding(timeoutMs, signal)
    const failed = (error: unknown): WebhookCallError => {
      if (ending.why() === undefined && error instanceof BodyError) return new WebhookCallError(error.message)
      const url = error instanceof RedirectError ? error.url : target.url + query
      return new WebhookCallError(`Post ${JSON.stringify(url)}: ${ending.why() ?? errorMessage(error)}`, {
        canceled: ending.why() === CANCELED,
      })
    }
    try {
      const { authority, serverName } = target
      const own = user ? await present(client, user, config) : HEADERS
      const headers = traceparent === undefined ? own : { ...own, traceparent }
      const certificates = this.#certificates?.observer(serverName, audit)
      const destination = {
        agent: client.agent,
        ...(await target.dial()),
        authority,
        serverName,
        path: target.path + query,
        headers,
        certificates,
        dial: client.dial,
      }
      const answer = await post(destination, body, ending.signal, { room: this.room, ...(maxBytes !== undefined && { maxBytes }) })
      if (isSuccess(answer)) return responseBody(answer)
      if (answer.status === 401) user?.files.expire()
      const { message, code } = await responseFailure(answer)
      throw new WebhookCallError(message, { code })
    } catch (error) {
      throw error instanceof WebhookCallError ? error : failed(error)
    } finally {
      ending.dispose()
    }
  }

  /** Closes all idle connections. */
  close(): void {
    for (const { agent } of this.#clients.values()) agent.destroy()
    this.#clients.clear()
  }

  /** Returns the client of a clientConfig. The least recently used one is retired at the limit. */
  #clientFor(config: WebhookClientConfig): Client {
    const key = JSON.stringify([config.url, config.service, config.caBundle])
    const known = this.#clients.get(key)
    if (known) {
      this.#clients.delete(key)
      this.#clients.set(key, known)
      return known
    }
    const target = webhookTarget(config, this.#resolve)
    // A service is part of the managed cluster. A URL is not.
    const dial = config.service ? this.#egress.cluster : this.#egress.controlplane
    const made: Client = {
      target,
      user: this.#credentials?.userOf(target.address),
      shown: undefined,
      agent: agentFor(config, undefined, dial),
      dial,
    }
    this.#clients.set(key, made)
    if (this.#clients.size > MAX_CLIENTS) {
      const [[oldest, { agent }] = [key, made]] = this.#clients
      retire(agent)
      this.#clients.delete(oldest)
    }
    return made
  }
}

/** Returns the body of the response. Throws a WebhookCallError in client-go's words if it is empty. */
function responseBody({ status, headers, body }: CallResponse): Buffer {
  if (body.length > 0) return body
  throw new WebhookCallError(
    `0-length response with status code: ${status} and content type: ${headers['content-type'] ?? 'application/json'}`,
  )
}

/** Returns the headers with current credentials. Replaces the agent if the client certificate file has changed. */
async function present(client: Client, { headers, files }: WebhookUser, config: WebhookClientConfig): Promise<Destination['headers']> {
  const { token, client: certificate } = await files.current()
  if (certificate !== client.shown) {
    client.shown = certificate
    retire(client.agent)
    client.agent = agentFor(config, certificate, client.dial)
  }
  return { ...HEADERS, ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
}

/** Closes idle connections. Busy ones close when their call ends. */
function retire(agent: Agent): void {
  agent.maxFreeSockets = 0
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

/** Returns an agent that keeps connections alive. Throws a WebhookCallError if the CA bundle has no certificate. */
function agentFor({ caBundle }: WebhookClientConfig, certificate: ClientCertificate, dial: Dial | undefined): Agent {
  const ca = caBundle ? Buffer.from(caBundle, 'base64').toString() : undefined
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----'))
    throw new WebhookCallError('unable to load root certificates: unable to parse bytes as PEM block', { isConfiguration: true })
  const shown = certificate && { cert: certificate.cert.pem, key: certificate.key.pem }
  return keptConnections({ ...(ca !== undefined && trustedCertificates(ca)), ...shown }, dial)
}
