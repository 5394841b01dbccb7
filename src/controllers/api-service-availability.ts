import { getKind, updateKind } from '../catalog/define.ts'
import type { AccessEvent } from '../catalog/definition.ts'
import { errorMessage } from '../lib/error-message.ts'
import { quote } from '../lib/go-quote.ts'
import type { TypedObject } from '../meta/object.ts'
import { isStatusError } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import type { APIService, APIServiceCondition } from '../resources/apiregistration/v1.types.ts'
import type { EndpointSubset } from '../resources/core/v1.types.ts'
import { API_SERVICES, ENDPOINTS, SERVICES } from '../resources/kinds.ts'
import type { Controller, ControllerEnvironment } from './controller.ts'
import { follow, followMetadata, WorkQueue } from './controller.ts'

/** What an APIService says of the server behind it. */
interface Backend {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

interface Verdict {
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

const LOCAL: Verdict = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' }
/** True of every server that passes all checks before: nothing is forwarded to it. */
const NOT_FORWARDED: Verdict = { status: 'False', reason: 'FailedDiscoveryCheck', message: 'requests are not forwarded to other servers' }

const no = (reason: string, message: string): Verdict => ({ status: 'False', reason, message })

const backendOf = ({ spec }: APIService): Backend | undefined =>
  spec.service && { namespace: spec.service.namespace ?? '', name: spec.service.name ?? '', port: spec.service.port ?? 443 }

const keyOf = ({ namespace, name }: { namespace?: string; name?: string }): string => `${namespace}/${name}`

/**
 * Tells of every APIService whether the group version can be had: the condition `Available`, with kube-aggregator's reasons for a service or endpoints that are not there. Servers behind
 * services are never available, as nothing is forwarded to them yet.
 */
export const apiServiceAvailabilityController: Controller = async (env, signal) => {
  /** Name of an APIService → its service. */
  const backends = new Map<string, string>()
  const queue = new WorkQueue(
    2,
    signal,
    name => report(env, name),
    (name, error) => env.logger.debug(1, 'the status of an APIService cannot be written yet', { name, error: errorMessage(error) }),
  )
  const onApiService = ({ type, object }: AccessEvent<APIService>): void => {
    if (!object) return
    const { name = '' } = object.metadata
    const backend = backendOf(object)
    if (backend && type !== 'deleted') backends.set(name, keyOf(backend))
    else backends.delete(name)
    if (type !== 'deleted' && (backend || !isTold(object.status.conditions, LOCAL))) queue.add(name)
  }
  const onBackend = ({ type, object }: AccessEvent<TypedObject>): void => {
    if (backends.size === 0) return
    const key = object && keyOf(object.metadata)
    for (const [name, backend] of backends) if (type === 'synced' || backend === key) queue.add(name)
  }
  await Promise.all([
    follow(env, API_SERVICES, signal, onApiService),
    followMetadata(env, SERVICES, signal, () => onBackend),
    followMetadata(env, ENDPOINTS, signal, () => onBackend),
  ])
}

const missing = (error: unknown): undefined => {
  if (isStatusError(error, 'NotFound')) return undefined
  throw error
}

/** Whether the service of the other server is there, has the port, and has endpoints that are ready. Reasons and messages are upstream’s (kube-aggregator). */
async function judge({ access }: ControllerEnvironment, { namespace, name, port }: Backend): Promise<Verdict> {
  const service = await getKind(access, SERVICES, namespace, name).catch(missing)
  const where = `service/${name} in ${quote(namespace)}`
  if (!service) return no('ServiceNotFound', `${where} is not present`)
  if (service.spec.type !== 'ClusterIP') return NOT_FORWARDED
  const found = service.spec.ports?.find(each => each.port === port)
  if (!found) return no('ServicePortError', `${where} is not listening on port ${port}`)
  const endpoints = await getKind(access, ENDPOINTS, namespace, name).catch(missing)
  if (!endpoints) return no('EndpointsNotFound', `cannot find endpoints for ${where}`)
  const portName = found.name ?? ''
  const answers = ({ addresses = [], ports = [] }: EndpointSubset): boolean => addresses.length > 0 && ports.some(each => (each.name ?? '') === portName)
  if (!endpoints.subsets?.some(answers)) return no('MissingEndpoints', `endpoints for ${where} have no addresses with port name ${quote(portName)}`)
  return NOT_FORWARDED
}

const availableOf = (conditions: readonly APIServiceCondition[] = []): APIServiceCondition | undefined => conditions.find(({ type }) => type === 'Available')

/** Whether the condition says so already: a write that changes nothing would still be seen by watches. */
function isTold(conditions: readonly APIServiceCondition[] | undefined, { status, reason, message }: Verdict): boolean {
  const present = availableOf(conditions)
  return present?.status === status && present.reason === reason && present.message === message
}

/** The same conditions with what was found; the time of a transition is that of another status. Undefined where nothing changes. */
function withVerdict(conditions: readonly APIServiceCondition[], verdict: Verdict, now: number): APIServiceCondition[] | undefined {
  if (isTold(conditions, verdict)) return undefined
  const old = availableOf(conditions)
  const since = old?.status === verdict.status ? old.lastTransitionTime : formatTime(now)
  const next: APIServiceCondition = { type: 'Available', lastTransitionTime: since, ...verdict }
  return old ? conditions.map(each => (each === old ? next : each)) : [...conditions, next]
}

/** Writes the condition of one APIService. One that this server serves itself is always available. */
async function report(env: ControllerEnvironment, name: string): Promise<void> {
  const service = await getKind(env.access, API_SERVICES, '', name).catch(missing)
  if (!service) return
  const backend = backendOf(service)
  const verdict = backend ? await judge(env, backend) : LOCAL
  const change = (now: APIService): APIService | undefined => {
    const backendNow = backendOf(now)
    // Whoever changed it makes this run once more.
    if (backend?.port !== backendNow?.port || (backend && keyOf(backend)) !== (backendNow && keyOf(backendNow))) return undefined
    const conditions = withVerdict(now.status.conditions ?? [], verdict, env.clock.now())
    return conditions && { ...now, status: { ...now.status, conditions } }
  }
  await updateKind(env.access, API_SERVICES, { namespace: '', name, subresource: 'status' }, change).catch(missing)
}
