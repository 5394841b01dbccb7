import type { ResolveService } from '../../admission/webhooks/target.ts'
import type { APIService } from '../../api/apiregistration/v1.types.ts'
import type { CheckBackend } from '../../controllers/api-service-availability.ts'
import { askOver, authorityOf } from '../../endpoints/connect/ask.ts'
import type { Dial } from '../../lib/connect-proxy.ts'
import { DEADLINE, startDeadline } from '../../lib/deadline.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { ProxyClientKey } from './client-keys.ts'
import { destinationAt } from './destination.ts'
import { type Backend, groupVersionPath, registrationOf } from './registration.ts'
import { withRemoteUser } from './remote-user.ts'
import type { Via } from './via.ts'

/** Dependencies of the discovery check. */
export interface DiscoveryCheckEnvironment {
  readonly resolve: ResolveService
  readonly client: ProxyClientKey | undefined
  readonly via: Via
  /** Optional. Default: dial directly. */
  readonly dial?: Dial | undefined
}

/** Number of parallel attempts: one of several servers behind a service may be down. */
const ATTEMPTS = 5
const TIMEOUT_MS = 5_000

/** User of this server's own requests to aggregated servers. */
export const AGGREGATOR = { name: 'system:kube-aggregator', groups: ['system:masters'] }

/**
 * Checks whether a server responds for its group version. The certificate is not verified: an attacker in its place
 * could at most make it unavailable, and only sees this request. Source: k8s.io/kube-aggregator,
 * pkg/controllers/status/remote.
 */
export const discoveryCheck =
  (env: DiscoveryCheckEnvironment): CheckBackend =>
  async (service: APIService, signal) => {
    const registration = registrationOf(service)
    const { backend } = registration
    if (!backend) return undefined
    const path = groupVersionPath(registration)
    const attempts = Array.from({ length: ATTEMPTS }, () => attempt(env, backend, path, signal))
    return Promise.any(attempts).catch(error => errorMessage(error instanceof AggregateError ? error.errors.at(-1) : error))
  }

/** Sends one request. Rejects with the reason if there is no successful response. */
async function attempt(
  { resolve, client, via, dial }: DiscoveryCheckEnvironment,
  { namespace, name, port }: Backend,
  path: string,
  waiting: AbortSignal,
): Promise<undefined> {
  const destination = destinationAt(await resolve(namespace, name, port), path)
  const url = `https://${authorityOf(destination)}${path}`
  const failed = (why: string): Error => new Error(`failing or missing response from ${url}: ${why}`)
  const limit = startDeadline(TIMEOUT_MS, waiting)
  const tls = { rejectUnauthorized: false, ALPNProtocols: ['http/1.1'], ...client?.current }
  const headers = withRemoteUser([['Via', via.after(undefined)]], AGGREGATOR, false).flat()
  try {
    const { response, upgraded } = await askOver({ tls, dial }, destination, { method: 'GET', headers, signal: limit.signal })
    response.destroy()
    upgraded?.socket.destroy()
    const status = response.statusCode ?? 0
    if (status < 200 || status >= 300) throw failed(`bad status from ${url}: ${status}`)
    return undefined
  } catch (error) {
    if (limit.isOver()) throw failed(`Get ${JSON.stringify(url)}: ${DEADLINE}`)
    if (error instanceof Error && error.message.startsWith('failing or missing')) throw error
    throw failed(`Get ${JSON.stringify(url)}: ${errorMessage(error)}`)
  } finally {
    limit.dispose()
  }
}
