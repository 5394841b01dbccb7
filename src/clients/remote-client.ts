import type { Agent } from 'node:http'
import { createSecureContext } from 'node:tls'
import type { Clock } from '../lib/clock.ts'
import type { Dial } from '../lib/connect-proxy.ts'
import { CANCELED, DEADLINE } from '../lib/deadline.ts'
import { errorMessage } from '../lib/error-message.ts'
import { trustedCertificates } from '../lib/trusted-certificates.ts'
import type { StatusError } from '../meta/status.ts'
import { callEnding } from './call-ending.ts'
import type { CertificateMetrics } from './certificate-metrics.ts'
import type { CallResponse } from './destination.ts'
import { KubeconfigError } from './kubeconfig-error.ts'
import { BodyError } from './plain-body.ts'
import { isSuccess, keptConnections, keptPlainConnections, post, responseFailure } from './post.ts'
import { RedirectError } from './redirect.ts'
import type { Remote } from './remote.ts'
import { type FollowedFiles, followFiles } from './remote-files.ts'

/** Timeout of a webhook call in client-go, including the response. */
const TIMEOUT_MS = 30_000
/** Maximum size of a response. Reviews have a few kilobytes and are parsed synchronously. */
const MAX_ANSWER_BYTES = 1 << 20

/** A call without a successful response. The message is client-go's. */
export class RemoteCallError extends Error {
  override readonly name = 'RemoteCallError'
  /** 0 if there was no response. */
  readonly statusCode: number
  /** Status of the response: its own, or one derived from its code. */
  readonly status: StatusError | undefined
  /** Whether the connection was reset, the call timed out, or the request was canceled. */
  readonly end: 'reset' | 'timeout' | 'canceled' | undefined

  constructor(message: string, from: Partial<Pick<RemoteCallError, 'statusCode' | 'status' | 'end'>> = {}) {
    super(message)
    this.statusCode = from.statusCode ?? 0
    this.status = from.status
    this.end = from.end
  }
}

/** Posts JSON to the server of a kubeconfig. */
export interface RemoteClient {
  /**
   * Resolves to a successful response. Otherwise throws RemoteCallError. Its message contains the URL if there was no
   * response.
   */
  post(body: string | Buffer, signal: AbortSignal): Promise<CallResponse>
  /** Closes idle connections. */
  close(): void
}

/** Options of a RemoteClient. */
export interface RemoteClientOptions {
  /** Clock by which the age of files is measured. */
  readonly clock: Clock
  /** Optional. Defaults to `kube-apiserver`. */
  readonly userAgent?: string
  /** Optional. Limit for a call, including the response. Defaults to 30 seconds. */
  readonly timeoutMs?: number
  /** Optional. Counts weak certificates of servers. */
  readonly certificates?: CertificateMetrics | undefined
  /** Optional. Default: dial directly. */
  readonly dial?: Dial | undefined
}

/**
 * Creates a client. Keeps connections alive. Tokens and certificates from files are reloaded. Throws KubeconfigError if
 * a certificate is invalid.
 */
export function remoteClient(remote: Remote, options: RemoteClientOptions): RemoteClient {
  const { clock, userAgent = 'kube-apiserver', timeoutMs = TIMEOUT_MS, certificates, dial } = options
  const path = `${remote.path}?timeout=${timeoutMs / 1000}s`
  const url = `${remote.scheme}://${remote.authority}${path}`
  const files = followFiles(remote, clock)
  let client = remote.client
  let agent = agentOf(remote, client, dial)
  const destination = async () => {
    const current = await files.current()
    if (current.client !== client) {
      client = current.client
      // Calls in progress finish on their connections.
      agent = agentOf(remote, client, dial)
    }
    const headers = { ...remote.headers, ...authorization(current), 'user-agent': userAgent }
    const { host, port, authority, serverName = host } = remote
    return { agent, host, port, authority, serverName, path, headers, certificates: certificates?.observer(host), dial }
  }
  return {
    async post(body, signal) {
      const ending = callEnding(timeoutMs, signal)
      try {
        const answer = await post(await destination(), body, ending.signal, { maxBytes: MAX_ANSWER_BYTES })
        if (isSuccess(answer)) return answer
        if (answer.status === 401) files.expire()
        const status = await responseFailure(answer)
        throw new RemoteCallError(status.message, { statusCode: answer.status, status })
      } catch (error) {
        throw error instanceof RemoteCallError ? error : lost(url, ending.why(), error)
      } finally {
        ending.dispose()
      }
    },
    close: () => agent.destroy(),
  }
}

/** Returns the error of a call without a complete response. If the body failed, the message has no URL. */
function lost(url: string, why: string | undefined, error: unknown): RemoteCallError {
  const text = why ?? errorMessage(error)
  const end =
    why === DEADLINE ? 'timeout' : why === CANCELED ? 'canceled' : text === 'EOF' || /connection reset/.test(text) ? 'reset' : undefined
  if (why === undefined && error instanceof BodyError) return new RemoteCallError(text, { end })
  return new RemoteCallError(`Post ${JSON.stringify(error instanceof RedirectError ? error.url : url)}: ${text}`, { end })
}

const authorization = ({ token }: Awaited<ReturnType<FollowedFiles['current']>>): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }

/** Agent with the TLS settings of a remote. Throws KubeconfigError if they are invalid. */
function agentOf({ scheme, ca, insecure }: Remote, client: Remote['client'], dial: Dial | undefined): Agent {
  if (scheme === 'http') return keptPlainConnections(dial)
  const tls = {
    ...(ca && trustedCertificates(ca)),
    ...(client && { cert: client.cert.pem, key: client.key.pem }),
    ...(insecure && { rejectUnauthorized: false }),
  }
  try {
    createSecureContext(tls)
  } catch (error) {
    throw new KubeconfigError(`tls: ${errorMessage(error)}`)
  }
  return keptConnections(tls, dial)
}
