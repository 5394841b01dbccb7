import type { Endpoints, Pod, Service } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { undefinedIfNotFound } from '../../../meta/status.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import type { Informer } from '../../shared/informer.ts'
import { ENDPOINTS, PODS, SERVICES } from '../../shared/kinds.ts'
import { isNamespaceTerminating } from '../../shared/pod-control.ts'
import { hasManagedEndpoints, LEADER } from '../../shared/service-endpoints.ts'
import { followServicePods, podsByService } from '../../shared/service-pods.ts'
import { TriggerTimes } from '../../shared/trigger-times.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { endpointsInSteps } from './endpoints.ts'
import { subsetsOf } from './subsets.ts'

const WORKERS = 5
const MOST_RETRIES = 15

/** Keeps the Endpoints of services that select pods. A key is a service. */
export const endpointsController: ClusterPart = (env, signal) => new EndpointsController(env, signal).run()

class EndpointsController {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #services: Informer<Service>
  readonly #pods: Informer<Pod>
  readonly #podsOf: (service: Service) => Promise<Pod[]>
  readonly #endpoints: Informer<Endpoints>
  readonly #queue: KeyQueue
  readonly #events: EventRecorder
  readonly #times = new TriggerTimes()
  /**
   * Resource versions that were replaced, or an empty text if there were no Endpoints. An informer that still has them
   * lags behind.
   */
  readonly #replaced = new Map<string, string>()
  /** Keys for which the informer lagged behind. */
  readonly #waiting = new Set<string>()

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#services = env.informers.of(SERVICES)
    this.#pods = env.informers.of(PODS)
    this.#podsOf = podsByService(this.#pods)
    this.#endpoints = env.informers.of(ENDPOINTS)
    this.#queue = queueOf(env, 'endpoint', signal, { workers: WORKERS, work: key => this.#sync(key), maxRetries: MOST_RETRIES })
    this.#events = recorderOf(env, 'endpoint-controller', signal)
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#services, this.#pods, this.#endpoints], this.#signal))) return
    const enqueue = (service: Service): void => this.#queue.add(objectKey(service))
    this.#services.on({ added: enqueue, updated: enqueue, deleted: enqueue })
    const podChanged = (key: string): void => this.#queue.addAfterPause(key, this.#times.pauseOf(key))
    followServicePods({ pods: this.#pods, services: this.#services, enqueue: podChanged })
    // Endpoints without a service, which was deleted while no controller ran.
    for (const endpoints of this.#endpoints.store.list())
      if (endpoints.metadata.annotations?.[LEADER] === undefined) this.#queue.add(objectKey(endpoints))
    const changed = (endpoints: Endpoints): void => {
      if (this.#waiting.delete(objectKey(endpoints))) this.#queue.add(objectKey(endpoints))
    }
    this.#endpoints.on({
      added: changed,
      updated: changed,
      deleted: endpoints => {
        this.#forget(objectKey(endpoints))
        this.#queue.add(objectKey(endpoints))
      },
    })
    await untilAborted(this.#signal)
  }

  #forget(key: string): void {
    this.#replaced.delete(key)
    this.#waiting.delete(key)
  }

  async #sync(key: string): Promise<void> {
    const service = this.#services.store.get(key)
    if (!service) return this.#remove(key)
    if (!hasManagedEndpoints(service)) return
    const pods = await this.#podsOf(service)
    const current = this.#endpoints.store.get(key)
    const version = current?.metadata.resourceVersion ?? ''
    if (this.#replaced.get(key) === version) return void this.#waiting.add(key)
    const changedAt = await startInTurns(this.#times.next(service, pods))
    const isLabelled = isSince(this.#env.features.release, '1.33')
    const subsets = await subsetsOf(service, pods)
    const next = await startInTurns(endpointsInSteps({ service, subsets, current, changedAt, isLabelled }))
    if (!next) return
    try {
      const written = await (current ? this.#env.client.update(ENDPOINTS, next) : this.#env.client.create(ENDPOINTS, next))
      if (written.metadata.resourceVersion !== version) this.#replaced.set(key, version)
    } catch (error) {
      // No Endpoints can be created in the namespace, and none are needed.
      if (!current && isNamespaceTerminating(error)) return
      const [verb, what] = current ? ['Update', `update endpoint ${key}`] : ['Create', `create endpoint for service ${key}`]
      this.#events.record(ENDPOINTS, next, 'Warning', `FailedTo${verb}Endpoint`, `Failed to ${what}: ${errorMessage(error)}`)
      throw error
    }
  }

  /** Deletes the Endpoints of a service that is gone. */
  async #remove(key: string): Promise<void> {
    this.#times.forget(key)
    this.#forget(key)
    if (!this.#endpoints.store.get(key)) return
    const [namespace = '', name = ''] = key.split('/')
    await this.#env.client.delete(ENDPOINTS, namespace, name).catch(undefinedIfNotFound)
  }
}
