import type { Endpoints, Service } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import { FollowedSlices } from '../../shared/followed-slices.ts'
import type { Informer } from '../../shared/informer.ts'
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../../shared/kinds.ts'
import { hasSelector } from '../../shared/service-endpoints.ts'
import { SliceWriter } from '../../shared/slice-writer.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { CONTROLLER, isExcluded, isMirrored, MAX_PER_SUBSET, planMirror } from './mirror.ts'

const WORKERS = 5
const [MOST_RETRIES, FIRST_RETRY_MS] = [15, 1000]

/**
 * Copies Endpoints that other programs keep to EndpointSlices, for services that select no pods. A key is an Endpoints
 * object.
 */
export const endpointSliceMirroringController: ClusterPart = (env, signal) => new MirroringController(env, signal).run()

class MirroringController {
  readonly #signal: AbortSignal
  readonly #services: Informer<Service>
  readonly #endpoints: Informer<Endpoints>
  readonly #queue: KeyQueue
  readonly #followed: FollowedSlices
  readonly #writer: SliceWriter
  readonly #events: EventRecorder
  readonly #synced: readonly { synced(): Promise<void> }[]

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#signal = signal
    this.#services = env.informers.of(SERVICES)
    this.#endpoints = env.informers.of(ENDPOINTS)
    const slices = env.informers.of(ENDPOINT_SLICES)
    this.#synced = [this.#services, this.#endpoints, slices]
    const retries = { maxRetries: MOST_RETRIES, firstRetryMs: FIRST_RETRY_MS }
    this.#queue = queueOf(env, 'endpoint_slice_mirroring', signal, { workers: WORKERS, work: key => this.#sync(key), ...retries })
    this.#followed = new FollowedSlices(slices, CONTROLLER, key => this.#queue.add(key))
    this.#writer = new SliceWriter(env.client, this.#followed.tracker)
    this.#events = recorderOf(env, 'endpoint-slice-mirroring-controller', signal)
  }

  async run(): Promise<void> {
    if (!(await untilSynced(this.#synced, this.#signal))) return
    const enqueue = (endpoints: Endpoints): void => {
      if (!isExcluded(endpoints)) this.#queue.add(objectKey(endpoints))
    }
    this.#endpoints.on({
      added: enqueue,
      updated: (endpoints, old) => {
        if (!isExcluded(endpoints) || !isExcluded(old)) this.#queue.add(objectKey(endpoints))
      },
      deleted: enqueue,
    })
    const serviceChanged = (service: Service): void => {
      if (!hasSelector(service)) this.#queue.add(objectKey(service))
    }
    this.#services.on({
      added: serviceChanged,
      updated: (service, old) => {
        if (hasSelector(service) !== hasSelector(old)) this.#queue.add(objectKey(service))
      },
      deleted: serviceChanged,
    })
    this.#followed.follow()
    await untilAborted(this.#signal)
  }

  async #sync(key: string): Promise<void> {
    const endpoints = this.#endpoints.store.get(key)
    const of = `Endpoints ${key}`
    if (!endpoints || !isMirrored(endpoints, this.#services.store.get(key))) {
      this.#followed.forget(key)
      for (const slice of this.#followed.all(key)) await this.#writer.remove(slice, of)
      return
    }
    const slices = this.#followed.of(key)
    if (!slices) return
    const { changes, invalid, skipped } = await startInTurns(planMirror(endpoints, slices))
    const warn = (reason: string, message: string): void => this.#events.record(ENDPOINTS, endpoints, 'Warning', reason, message)
    if (invalid > 0) warn('InvalidIPAddress', `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`)
    if (skipped > invalid)
      warn(
        'TooManyAddressesToMirror',
        `A max of ${MAX_PER_SUBSET} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
      )
    const mayCreate = endpoints.metadata.deletionTimestamp === undefined
    await this.#writer.write(changes, { of, mayCreate, mayRecycle: () => true })
  }
}
