import type { ResolveService } from '../../admission/webhooks/target.ts'
import type { Destination } from '../../catalog/connect.ts'
import type { CertificateMetrics } from '../../clients/certificate-metrics.ts'
import { type Ask, askOver, authorityOf, type Transport } from '../../endpoints/connect/ask.ts'
import { forward, type Passing } from '../../endpoints/connect/forward.ts'
import { withHeader } from '../../endpoints/connect/headers.ts'
import { upgrade } from '../../endpoints/connect/upgrade.ts'
import type { Exchange } from '../../endpoints/exchange.ts'
import { sendText } from '../../endpoints/send-text.ts'
import { DEADLINE, startDeadline } from '../../lib/deadline.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Header } from '../../lib/header.ts'
import type { Logger } from '../../lib/log.ts'
import { trimBoth } from '../../lib/trim.ts'
import { escapePath } from '../../lib/url.ts'
import { isStatusError, tooManyRequestsError } from '../../meta/status.ts'
import { destinationAt } from './destination.ts'
import { type Backend, type Registration, serverNameOf } from './registration.ts'
import { withRemoteUser } from './remote-user.ts'
import type { BackendTransport, Transports } from './transports.ts'
import type { Via } from './via.ts'

/** Dependencies of the request proxy. */
export interface RequestProxyEnvironment {
  readonly resolve: ResolveService
  readonly transports: Transports
  readonly via: Via
  readonly logger: Logger
  /** Gate RemoteRequestHeaderUID. */
  readonly sendsUid: boolean
  /** `--aggregator-reject-forwarding-redirect`. */
  readonly refusesRedirects: boolean
  readonly certificates: CertificateMetrics
}

/** Timeout of discovery requests, in milliseconds. Clients wait for all group versions. */
const DISCOVERY_MS = 5_000
const UNAVAILABLE = 'service unavailable'

/**
 * Proxies a request to the server of its group version, in the name of its user. Errors of the proxy are plain text in
 * kube-aggregator's words. Source: k8s.io/kube-aggregator, pkg/apiserver/handler_proxy.go.
 */
export async function passOn(
  env: RequestProxyEnvironment,
  exchange: Exchange,
  registration: Registration,
  backend: Backend,
): Promise<void> {
  if (env.via.hasPassed(exchange.headers.via)) return sendText(exchange, 508, 'proxy loop: this server has already proxied the request')
  if (!registration.isAvailable) return sendText(exchange, 503, UNAVAILABLE)
  const transport = env.transports.of(registration, backend)
  if (transport.fault !== undefined) return sendText(exchange, 500, transport.fault)
  const address = await env.resolve(backend.namespace, backend.name, backend.port).catch(error => {
    env.logger.warn('cannot resolve the service of an APIService', { name: registration.name, error: errorMessage(error) })
  })
  if (address === undefined) return sendText(exchange, 503, UNAVAILABLE)
  if (!transport.enter()) throw tooManyRequestsError('Too many requests, please try again later.', 1)
  exchange.delegate()
  try {
    await proxyRequest(env, exchange, destinationAt(address, exchange.path, exchange.search), observed(env, exchange, transport, backend))
  } finally {
    transport.leave()
  }
}

const observed = (
  { certificates }: RequestProxyEnvironment,
  { ctx }: Exchange,
  { transport }: BackendTransport,
  backend: Backend,
): Transport => ({
  ...transport,
  certificates: certificates.observer(serverNameOf(backend), ctx.audit),
})

/** Sends the request. Failures before a response arrives are reported as 503. */
async function proxyRequest(env: RequestProxyEnvironment, exchange: Exchange, to: Destination, transport: Transport): Promise<void> {
  const limit = isDiscovery(exchange) ? startDeadline(DISCOVERY_MS, exchange.ctx.signal) : undefined
  const ask: Ask = (destination, question) => askOver(transport, destination, limit ? { ...question, signal: limit.signal } : question)
  const passing: Passing = { ask, headers: (headers, at) => headersFor(env, exchange, headers, at), refusesRedirects: env.refusesRedirects }
  try {
    await (exchange.asksUpgrade ? upgrade(exchange, to, passing) : forward(exchange, to, passing))
  } catch (error) {
    if (exchange.ctx.signal.aborted) throw error
    if (limit?.isOver()) return await sendText(exchange, 503, `error trying to reach service: ${DEADLINE}`)
    if (!isStatusError(error)) throw error
    await sendText(exchange, 503, error.message)
  } finally {
    limit?.dispose()
  }
}

/** Whether the path is `/apis/GROUP/VERSION`. */
const isDiscovery = ({ info, path }: Exchange): boolean => !info.isResource && trimBoth(path, '/').split('/').length === 3

/** Headers of the proxied request: forwarding information, Via, and the user. */
function headersFor({ via, sendsUid }: RequestProxyEnvironment, exchange: Exchange, headers: readonly Header[], to: Destination): Header[] {
  const said: readonly Header[] = [
    ['Host', authorityOf(to)],
    ['Audit-Id', exchange.auditId],
    ['X-Forwarded-Host', authorityOf(to)],
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-Uri', escapePath(exchange.path)],
    ['Via', via.after(exchange.headers.via)],
  ]
  return withRemoteUser(
    said.reduce<Header[]>((all, [name, value]) => withHeader(all, name, value), [...headers]),
    exchange.ctx.user,
    sendsUid,
  )
}
