import type { APIService, APIServiceCondition } from '../api/apiregistration/v1.types.ts'
import type { EndpointSubset } from '../api/core/v1.types.ts'
import type { TypedObject } from '../api/meta/object.ts'
import { getKind, updateKind } from '../catalog/define.ts'
import type { AccessEvent } from '../catalog/resource-access.ts'
import { errorMessage } from '../lib/error-message.ts'
import { quote } from '../lib/go-quote.ts'
import { pause } from '../lib/pause.ts'
import { undefinedIfNotFound } from '../meta/status.ts'
import { formatTime } from '../meta/time.ts'
import { API_SERVICES, ENDPOINTS, SERVICES } from '../resources/kinds.ts'
import type { Controller, ControllerEnvironment } from './controller.ts'
import { follow, followMetadata, WorkQueue } from './controller.ts'

/** Service that an APIService refers to. */
interface Backend {
  readonly namespace: string
  readonly name: string
  /** Port of the Service. 443 if the APIService has none. */
  readonly port: number
}

/** Condition `Available` without its time. */
interface AvailabilityVerdict {
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** Verdict about APIServices without a service, which this server implements itself. */
const LOCAL: AvailabilityVerdict = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' }
/** Reason for a server that does not respond, which is retried soon. */
const UNANSWERED = 'FailedDiscoveryCheck'
/** Verdict about a server that serves its group version. */
const PASSED: AvailabilityVerdict = { status: 'True', reason: 'Passed', message: 'all checks passed' }
/** Interval between checks, in milliseconds: a server can become unavailable without any change in the store. */
const RESYNC_MS = 30_000

/**
 * Checks that the server of an APIService serves its group version. Resolves with an error message, or undefined if it
 * does.
 */
export type CheckBackend = (service: APIService, signal: AbortSignal) => Promise<string | undefined>

/** Receives the availability of APIServices, for metrics. */
export interface AvailabilityObserver {
  /** Called after each check. @param wasAvailable availability before the check. */
  found(name: string, verdict: { readonly isAvailable: boolean; readonly reason: string }, wasAvailable: boolean): void
  /** Called when an APIService has been deleted. */
  forgotten(name: string): void
}

export interface AvailabilityOptions {
  /** Asks the server itself, after its Service and endpoints have been checked. */
  readonly check: CheckBackend
  readonly observer: AvailabilityObserver
  /**
   * Whether the service has a configured address (`--service-addresses`), so that its stored Service and endpoints are
   * not checked.
   */
  isPlaced(namespace: string, name: string, port: number): boolean
}

const no = (reason: string, message: string): AvailabilityVerdict => ({ status: 'False', reason, message })

const backendOf = ({ spec }: APIService): Backend | undefined =>
  spec.service && { namespace: spec.service.namespace ?? '', name: spec.service.name ?? '', port: spec.service.port ?? 443 }

const serviceKey = ({ namespace, name }: { namespace?: string; name?: string }): string => `${namespace}/${name}`

/**
 * Sets the condition `Available` of every APIService, with kube-aggregator's reasons for a missing service, missing
 * endpoints, or a server that does not respond.
 */
export const apiServiceAvailabilityController =
  (options: AvailabilityOptions): Controller =>
  async (env, signal) => {
    /** APIService name to `namespace/name` of its service. */
    const backends = new Map<string, string>()
    const queue = new WorkQueue(
      2,
      signal,
      name => new Report(env, options, signal).write(name),
      (name, error) => env.logger.debug(1, 'cannot update the status of an APIService, retrying', { name, error: errorMessage(error) }),
    )
    const onApiService = ({ type, object }: AccessEvent<APIService>): void => {
      if (!object) return
      const { name = '' } = object.metadata
      if (type === 'deleted') options.observer.forgotten(name)
      const backend = backendOf(object)
      if (backend && type !== 'deleted') backends.set(name, serviceKey(backend))
      else backends.delete(name)
      if (type !== 'deleted' && (backend || !isReported(object.status.conditions, LOCAL))) queue.add(name)
    }
    const onBackend = ({ type, object }: AccessEvent<TypedObject>): void => {
      if (backends.size === 0) return
      const key = object && serviceKey(object.metadata)
      for (const [name, backend] of backends) if (type === 'synced' || backend === key) queue.add(name)
    }
    const resync = async (): Promise<void> => {
      while (!signal.aborted) {
        await pause(RESYNC_MS, signal)
        for (const name of backends.keys()) queue.add(name)
      }
    }
    await Promise.all([
      resync(),
      follow(env, API_SERVICES, signal, onApiService),
      followMetadata(env, SERVICES, signal, () => onBackend),
      followMetadata(env, ENDPOINTS, signal, () => onBackend),
    ])
  }

/**
 * Checks the Service and Endpoints of an APIService. Returns a verdict if no ready endpoint exists for the port.
 * Reasons and messages are kube-aggregator's.
 */
async function backendFault(
  { access }: ControllerEnvironment,
  { namespace, name, port }: Backend,
): Promise<AvailabilityVerdict | undefined> {
  const service = await getKind(access, SERVICES, namespace, name).catch(undefinedIfNotFound)
  const where = `service/${name} in ${quote(namespace)}`
  if (!service) return no('ServiceNotFound', `${where} is not present`)
  if (service.spec.type !== 'ClusterIP') return undefined
  const found = service.spec.ports?.find(each => each.port === port)
  if (!found) return no('ServicePortError', `${where} is not listening on port ${port}`)
  const endpoints = await getKind(access, ENDPOINTS, namespace, name).catch(undefinedIfNotFound)
  if (!endpoints) return no('EndpointsNotFound', `cannot find endpoints for ${where}`)
  const portName = found.name ?? ''
  const answers = ({ addresses = [], ports = [] }: EndpointSubset): boolean =>
    addresses.length > 0 && ports.some(each => (each.name ?? '') === portName)
  if (!endpoints.subsets?.some(answers))
    return no('MissingEndpoints', `endpoints for ${where} have no addresses with port name ${quote(portName)}`)
  return undefined
}

const availableOf = (conditions: readonly APIServiceCondition[] = []): APIServiceCondition | undefined =>
  conditions.find(({ type }) => type === 'Available')

/** Whether the condition already has this verdict. An unchanged write would still be a watch event. */
function isReported(conditions: readonly APIServiceCondition[] | undefined, { status, reason, message }: AvailabilityVerdict): boolean {
  const present = availableOf(conditions)
  return present?.status === status && present.reason === reason && present.message === message
}

/**
 * Returns the conditions with the verdict. lastTransitionTime changes only with the status. Undefined if nothing
 * changes.
 */
function withVerdict(
  conditions: readonly APIServiceCondition[],
  verdict: AvailabilityVerdict,
  now: number,
): APIServiceCondition[] | undefined {
  if (isReported(conditions, verdict)) return undefined
  const old = availableOf(conditions)
  const since = old?.status === verdict.status ? old.lastTransitionTime : formatTime(now)
  const next: APIServiceCondition = { type: 'Available', lastTransitionTime: since, ...verdict }
  return old ? conditions.map(each => (each === old ? next : each)) : [...conditions, next]
}

/** One check of an APIService. */
class Report {
  readonly #env: ControllerEnvironment
  readonly #options: AvailabilityOptions
  readonly #signal: AbortSignal

  constructor(env: ControllerEnvironment, options: AvailabilityOptions, signal: AbortSignal) {
    this.#env = env
    this.#options = options
    this.#signal = signal
  }

  /**
   * Checks one APIService and writes its condition. A local one is always available. Throws if the server does not
   * respond, so that the queue retries soon.
   */
  async write(name: string): Promise<void> {
    const { access, clock } = this.#env
    const { observer } = this.#options
    const service = await getKind(access, API_SERVICES, '', name).catch(undefinedIfNotFound)
    if (!service) return observer.forgotten(name)
    const backend = backendOf(service)
    const verdict = backend ? await this.#judge(service, backend) : LOCAL
    const change = (now: APIService): APIService | undefined => {
      const backendNow = backendOf(now)
      // The service changed during the check. That event triggers another check.
      if (backend?.port !== backendNow?.port || (backend && serviceKey(backend)) !== (backendNow && serviceKey(backendNow)))
        return undefined
      const conditions = withVerdict(now.status.conditions ?? [], verdict, clock.now())
      return conditions && { ...now, status: { ...now.status, conditions } }
    }
    await updateKind(access, API_SERVICES, { namespace: '', name, subresource: 'status' }, change).catch(undefinedIfNotFound)
    const found = { isAvailable: verdict.status === 'True', reason: verdict.reason }
    observer.found(name, found, availableOf(service.status.conditions)?.status === 'True')
    if (verdict.reason === UNANSWERED) throw new Error(verdict.message)
  }

  /** Checks the service and endpoints, then the server. */
  async #judge(service: APIService, backend: Backend): Promise<AvailabilityVerdict> {
    const { namespace, name, port } = backend
    const fault = this.#options.isPlaced(namespace, name, port) ? undefined : await backendFault(this.#env, backend)
    if (fault) return fault
    const why = await this.#options.check(service, this.#signal)
    return why === undefined ? PASSED : no(UNANSWERED, why)
  }
}
