import type { DeviceTaintRule, ResourcePoolStatusRequest } from '../../../api/resource/v1alpha3.types.ts'
import type { ResourceClaim, ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import { objectKey, type ResourceKind } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { runInTurns } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { isStatusError, undefinedIfNotFound } from '../../../meta/status.ts'
import type { DeviceKinds } from '../../shared/device-kinds.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, untilSynced } from '../../shared/environment.ts'
import { firstServed } from '../../shared/first-served.ts'
import { Informer } from '../../shared/informer.ts'
import { DEVICE_TAINT_RULES, POOL_STATUS_REQUESTS } from '../../shared/kinds.ts'
import { deviceKindsIfServed } from '../../shared/served-device-kinds.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { requestEnd, requestStatus } from './pool-status.ts'

/**
 * Writes the status of ResourcePoolStatusRequests once, and deletes old ones. A key is a request. Upstream tries a
 * request five times while slices are missing, and looks for old requests every ten minutes. Source:
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/5677-dra-resource-availability-visibility
 */
export const resourcePoolStatusController: ClusterPart = async (env, signal) => {
  if (!env.features.enabled('DRAResourcePoolStatus')) return
  const devices = await deviceKindsIfServed(env)
  const kind = devices && (await firstServed(env, [POOL_STATUS_REQUESTS], signal))
  const hasRules = isSince(env.features.release, '1.37') && env.features.enabled('DRADeviceTaintRules')
  const rules = kind && hasRules ? await firstServed(env, DEVICE_TAINT_RULES, signal) : undefined
  if (devices && kind && !signal.aborted) await new ResourcePoolStatus(env, devices, kind, rules, signal).run()
}

class ResourcePoolStatus {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #kind: ResourceKind<ResourcePoolStatusRequest>
  readonly #requests: Informer<ResourcePoolStatusRequest>
  readonly #slices: Informer<ResourceSlice>
  readonly #claims: Informer<ResourceClaim>
  readonly #rules: Informer<DeviceTaintRule> | undefined
  readonly #queue: KeyQueue
  /** Requests that wait for slices, with their drivers. */
  readonly #waiting = new Map<string, string>()

  constructor(
    env: ClusterEnvironment,
    devices: DeviceKinds,
    kind: ResourceKind<ResourcePoolStatusRequest>,
    rules: ResourceKind<DeviceTaintRule> | undefined,
    signal: AbortSignal,
  ) {
    this.#env = env
    this.#signal = signal
    this.#kind = kind
    this.#requests = new Informer(env.client, kind, { clock: env.meters.pauses, logger: env.logger })
    this.#slices = env.informers.of(devices.slices)
    this.#claims = env.informers.of(devices.claims)
    this.#rules = rules && env.informers.of(rules)
    this.#queue = queueOf(env, 'resourcepoolstatusrequest', signal, { workers: 1, work: key => this.#sync(key) })
  }

  async run(): Promise<void> {
    const running = this.#requests.run(this.#signal)
    const informers = [this.#requests, this.#slices, this.#claims, ...(this.#rules ? [this.#rules] : [])]
    if (await untilSynced(informers, this.#signal)) {
      const add = (request: ResourcePoolStatusRequest): void => this.#queue.add(objectKey(request))
      this.#requests.on({ added: add, updated: add, deleted: request => this.#waiting.delete(objectKey(request)) })
      const published = ({ spec }: ResourceSlice): void => {
        for (const [key, driver] of this.#waiting) if (driver === spec.driver) this.#queue.add(key)
      }
      this.#slices.on({ added: published, updated: published, deleted: published })
      await untilAborted(this.#signal)
    }
    await running
  }

  async #sync(key: string): Promise<void> {
    const request = this.#requests.store.get(key)
    if (request === undefined) return
    const { client, clock } = this.#env
    const left = requestEnd(request) - clock.now()
    if (left <= 0) {
      const { name = '', uid = '' } = request.metadata
      await client.delete(this.#kind, '', name, { uid }).catch(undefinedIfNotFound)
      return
    }
    if (request.status === undefined) await this.#process(key, request)
    this.#queue.addAfter(key, left)
  }

  async #process(key: string, request: ResourcePoolStatusRequest): Promise<void> {
    const { client, clock, features } = this.#env
    const objects = {
      slices: [...this.#slices.store.list()],
      claims: [...this.#claims.store.list()],
      rules: [...(this.#rules?.store.list() ?? [])],
    }
    // Slices that come while the status is computed, too, start it again.
    this.#waiting.set(key, request.spec.driver)
    const status = await runInTurns(requestStatus(request, objects, features.release, clock.now()))
    if (status === undefined) return
    this.#waiting.delete(key)
    try {
      await client.update(this.#kind, { ...request, status }, 'status')
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error
    }
  }
}
