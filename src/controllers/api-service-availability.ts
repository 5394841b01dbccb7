import { getKind, updateKind } from '../catalog/define.ts'
import type { AccessEvent } from '../catalog/definition.ts'
import { errorMessage } from '../lib/error-message.ts'
import { quote } from '../lib/go-quote.ts'
import { pause } from '../lib/pause.ts'
import type { TypedObject } from '../meta/object.ts'
import { undefinedIfNotFound } from '../meta/status.ts'
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
const UNANSWERED = 'FailedDiscoveryCheck'
const PASSED: Verdict = { status: 'True', reason: 'Passed', message: 'all checks passed' }
/** A backend may go away without a change of anything that is stored. */
const RESYNC_MS = 30_000

/** Asks the server behind an APIService for its group version. Resolves with what is wrong, or undefined. */
export type CheckBackend = (service: APIService, signal: AbortSignal) => Promise<string | undefined>

/** A verdict on availability. */
export interface AvailabilityObserver {
  /** What was found now, and whether it was available before. */
  found(name: string, verdict: { readonly isAvailable: boolean; readonly reason: string }, wasAvailable: boolean): void
  forgotten(name: string): void
}

export interface AvailabilityOptions {
  readonly check: CheckBackend
  readonly observer: AvailabilityObserver
  /** Whether it is known where a service is reached, whatever is stored of it. */
  isPlaced(namespace: string, name: string, port: number): boolean
}

const no = (reason: string, message: string): Verdict => ({ status: 'False', reason, message })

const backendOf = ({ spec }: APIService): Backend | undefined =>
  spec.service && { namespace: spec.service.namespace ?? '', name: spec.service.name ?? '', port: spec.service.port ?? 443 }

const keyOf = ({ namespace, name }: { namespace?: string; name?: string }): string => `${namespace}/${name}`

/**
 * Reports for every APIService whether its group version is available: the condition `Available`, with kube-aggregator's reasons for a service or endpoints that are not there, and for a server that does
 * not answer.
 */
export const apiServiceAvailabilityController =
  (options: AvailabilityOptions): Controller =>
  async (env, signal) => {
    /** Name of an APIService → its service. */
    const backends = new Map<string, string>()
    const queue = new WorkQueue(
      2,
      signal,
      name => new Report(env, options, signal).write(name),
      (name, error) => env.logger.debug(1, 'the status of an APIService cannot be written yet', { name, error: errorMessage(error) }),
    )
    const onApiService = ({ type, object }: AccessEvent<APIService>): void => {
      if (!object) return
      const { name = '' } = object.metadata
      if (type === 'deleted') options.observer.forgotten(name)
      const backend = backendOf(object)
      if (backend && type !== 'deleted') backends.set(name, keyOf(backend))
      else backends.delete(name)
      if (type !== 'deleted' && (backend || !isReported(object.status.conditions, LOCAL))) queue.add(name)
    }
    const onBackend = ({ type, object }: AccessEvent<TypedObject>): void => {
      if (backends.size === 0) return
      const key = object && keyOf(object.metadata)
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

/** Why there can be no server behind a service: it is not there, lacks the port, or endpoints that are ready. Reasons and messages are upstream’s (kube-aggregator). */
async function faultOf({ access }: ControllerEnvironment, { namespace, name, port }: Backend): Promise<Verdict | undefined> {
  const service = await getKind(access, SERVICES, namespace, name).catch(undefinedIfNotFound)
  const where = `service/${name} in ${quote(namespace)}`
  if (!service) return no('ServiceNotFound', `${where} is not present`)
  if (service.spec.type !== 'ClusterIP') return undefined
  const found = service.spec.ports?.find(each => each.port === port)
  if (!found) return no('ServicePortError', `${where} is not listening on port ${port}`)
  const endpoints = await getKind(access, ENDPOINTS, namespace, name).catch(undefinedIfNotFound)
  if (!endpoints) return no('EndpointsNotFound', `cannot find endpoints for ${where}`)
  const portName = found.name ?? ''
  const answers = ({ addresses = [], ports = [] }: EndpointSubset): boolean => addresses.length > 0 && ports.some(each => (each.name ?? '') === portName)
  if (!endpoints.subsets?.some(answers)) return no('MissingEndpoints', `endpoints for ${where} have no addresses with port name ${quote(portName)}`)
  return undefined
}

const availableOf = (conditions: readonly APIServiceCondition[] = []): APIServiceCondition | undefined => conditions.find(({ type }) => type === 'Available')

/** Whether the condition says so already: a write that changes nothing would still be seen by watches. */
function isReported(conditions: readonly APIServiceCondition[] | undefined, { status, reason, message }: Verdict): boolean {
  const present = availableOf(conditions)
  return present?.status === status && present.reason === reason && present.message === message
}

/** The same conditions with what was found; the time of a transition is that of another status. Undefined where nothing changes. */
function withVerdict(conditions: readonly APIServiceCondition[], verdict: Verdict, now: number): APIServiceCondition[] | undefined {
  if (isReported(conditions, verdict)) return undefined
  const old = availableOf(conditions)
  const since = old?.status === verdict.status ? old.lastTransitionTime : formatTime(now)
  const next: APIServiceCondition = { type: 'Available', lastTransitionTime: since, ...verdict }
  return old ? conditions.map(each => (each === old ? next : each)) : [...conditions, next]
}

/** One look at an APIService. */
class Report {
  private readonly env: ControllerEnvironment
  private readonly options: AvailabilityOptions
  private readonly signal: AbortSignal

  constructor(env: ControllerEnvironment, options: AvailabilityOptions, signal: AbortSignal) {
    this.env = env
    this.options = options
    this.signal = signal
  }

  /** Writes the condition of one APIService. One that this server serves itself is always available. Throws for a server that does not answer: it is asked again soon. */
  async write(name: string): Promise<void> {
    const { access, clock } = this.env
    const { observer } = this.options
    const service = await getKind(access, API_SERVICES, '', name).catch(undefinedIfNotFound)
    if (!service) return observer.forgotten(name)
    const backend = backendOf(service)
    const verdict = backend ? await this.judge(service, backend) : LOCAL
    const change = (now: APIService): APIService | undefined => {
      const backendNow = backendOf(now)
      // The change that came first makes this run once more.
      if (backend?.port !== backendNow?.port || (backend && keyOf(backend)) !== (backendNow && keyOf(backendNow))) return undefined
      const conditions = withVerdict(now.status.conditions ?? [], verdict, clock.now())
      return conditions && { ...now, status: { ...now.status, conditions } }
    }
    await updateKind(access, API_SERVICES, { namespace: '', name, subresource: 'status' }, change).catch(undefinedIfNotFound)
    const found = { isAvailable: verdict.status === 'True', reason: verdict.reason }
    observer.found(name, found, availableOf(service.status.conditions)?.status === 'True')
    if (verdict.reason === UNANSWERED) throw new Error(verdict.message)
  }

  private async judge(service: APIService, backend: Backend): Promise<Verdict> {
    const { namespace, name, port } = backend
    const fault = this.options.isPlaced(namespace, name, port) ? undefined : await faultOf(this.env, backend)
    if (fault) return fault
    const why = await this.options.check(service, this.signal)
    return why === undefined ? PASSED : no(UNANSWERED, why)
  }
}
