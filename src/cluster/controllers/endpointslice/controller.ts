import type { Node, Pod, Service } from '../../../api/core/v1.types.ts'
import type { EndpointSlice } from '../../../api/discovery/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { runIfSteps, runInTurns, type Steps, startInTurns } from '../../../lib/steps.ts'
import { formatTime } from '../../../meta/time.ts'
import type { SliceChanges } from '../../shared/endpoint-slices.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import { FollowedSlices } from '../../shared/followed-slices.ts'
import type { Informer } from '../../shared/informer.ts'
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../shared/kinds.ts'
import { servicesByPod } from '../../shared/label-index.ts'
import { isNodeReady, ZONE } from '../../shared/nodes.ts'
import { podsByNode } from '../../shared/pods.ts'
import { hasManagedEndpoints, LAST_CHANGE } from '../../shared/service-endpoints.ts'
import { followServicePods, podsByService } from '../../shared/service-pods.ts'
import { SliceWriter } from '../../shared/slice-writer.ts'
import { TriggerTimes } from '../../shared/trigger-times.ts'
import { withMembers } from '../../shared/with-members.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { addressTypesOf } from './endpoint.ts'
import { wantsTopologyHints } from './hints.ts'
import { planSlices } from './plan.ts'
import { CONTROLLER, isOwnedBy } from './slice.ts'
import { TopologyHints } from './topology/topology-hints.ts'
import { zoneCpuOf } from './topology/zone-cpu.ts'

const WORKERS = 5
const [MOST_RETRIES, FIRST_RETRY_MS] = [15, 1000]
/** Largest number of endpoints in a slice, as kube-controller-manager's --max-endpoints-per-slice by default. */
const MAX_ENDPOINTS = 100
const TOPOLOGY_KEY = 'nodes'

/** Keeps the EndpointSlices of services that select pods. A key is a service. */
export const endpointSliceController: ClusterPart = (env, signal) => new EndpointSliceController(env, signal).run()

class EndpointSliceController {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #services: Informer<Service>
  readonly #pods: Informer<Pod>
  readonly #nodes: Informer<Node>
  readonly #slices: Informer<EndpointSlice>
  readonly #podsOn: (node: string) => readonly Pod[]
  readonly #podsOf: (service: Service) => Promise<Pod[]>
  readonly #servicesOf: (pod: Pod) => readonly Service[]
  readonly #queue: KeyQueue
  readonly #nodeQueue: KeyQueue
  readonly #followed: FollowedSlices
  readonly #writer: SliceWriter
  readonly #events: EventRecorder
  readonly #times = new TriggerTimes()
  readonly #topology: TopologyHints | undefined
  /** Whether nodes have changed since their CPU was last added up. */
  #areZonesStale = true

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#services = env.informers.of(SERVICES)
    this.#pods = env.informers.of(PODS)
    this.#nodes = env.informers.of(NODES)
    this.#slices = env.informers.of(ENDPOINT_SLICES)
    this.#podsOn = podsByNode(this.#pods)
    this.#podsOf = podsByService(this.#pods)
    this.#servicesOf = servicesByPod(this.#services)
    const retries = { maxRetries: MOST_RETRIES, firstRetryMs: FIRST_RETRY_MS }
    this.#queue = queueOf(env, 'endpoint_slice', signal, { workers: WORKERS, work: key => this.#sync(key), ...retries })
    this.#nodeQueue = queueOf(env, 'endpoint_slice_topology', signal, { workers: 1, work: () => this.#checkNodes() })
    this.#followed = new FollowedSlices(this.#slices, CONTROLLER, key => this.#queue.add(key))
    this.#writer = new SliceWriter(env.client, this.#followed.tracker)
    this.#events = recorderOf(env, 'endpoint-slice-controller', signal)
    this.#topology = env.features.enabled('TopologyAwareHints') ? new TopologyHints() : undefined
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#services, this.#pods, this.#nodes, this.#slices], this.#signal))) return
    const enqueue = (service: Service): void => this.#queue.add(objectKey(service))
    this.#services.on({ added: enqueue, updated: enqueue, deleted: enqueue })
    const podChanged = (key: string): void => this.#queue.addAfterPause(key, this.#times.pauseOf(key))
    followServicePods({ pods: this.#pods, services: this.#services, enqueue: podChanged })
    this.#followed.follow()
    this.#nodes.on({
      added: node => this.#nodeAdded(node),
      updated: (node, old) => {
        if (isNodeReady(node) !== isNodeReady(old) || node.metadata.labels?.[ZONE] !== old.metadata.labels?.[ZONE]) this.#zonesChanged()
      },
      deleted: () => this.#zonesChanged(),
    })
    await untilAborted(this.#signal)
  }

  /**
   * Looks at the services again whose pods were left out because their node did not exist. Upstream waits for the next
   * retry.
   */
  #nodeAdded({ metadata: { name = '' } }: Node): void {
    this.#zonesChanged()
    for (const pod of this.#podsOn(name)) for (const service of this.#servicesOf(pod)) this.#queue.add(objectKey(service))
  }

  /** The CPU of zones is added up only when a service needs it: clusters of thousands of nodes change often. */
  #zonesChanged(): void {
    this.#areZonesStale = true
    if (this.#topology?.isUsed) this.#nodeQueue.add(TOPOLOGY_KEY)
  }

  #refreshZones(topology: TopologyHints): void {
    if (this.#areZonesStale) topology.ratios = zoneCpuOf(this.#nodes.store.list())?.ratios
    this.#areZonesStale = false
  }

  async #checkNodes(): Promise<void> {
    if (!this.#topology) return
    this.#refreshZones(this.#topology)
    for (const key of this.#topology.overloaded()) this.#queue.add(key)
  }

  async #sync(key: string): Promise<void> {
    const service = this.#services.store.get(key)
    if (!service) {
      this.#times.forget(key)
      this.#followed.forget(key)
      return
    }
    if (!hasManagedEndpoints(service)) return
    const pods = await this.#podsOf(service)
    const slices = this.#followed.of(key)
    if (!slices) return
    const changedAt = await startInTurns(this.#times.next(service, pods))
    const errors = await this.#reconcile(service, pods, slices, changedAt)
    if (errors.length === 0) return
    const error = new Error(errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`)
    this.#events.record(
      SERVICES,
      service,
      'Warning',
      'FailedToUpdateEndpointSlices',
      `Error updating Endpoint Slices for Service ${key}: ${error.message}`,
    )
    throw error
  }

  /**
   * Writes the slices of each address type, and deletes those of types that the service does not have. Returns the
   * errors.
   */
  async #reconcile(
    service: Service,
    pods: readonly Pod[],
    slices: readonly EndpointSlice[],
    changedAt: number | undefined,
  ): Promise<string[]> {
    if (this.#topology && wantsTopologyHints(service.metadata.annotations)) this.#refreshZones(this.#topology)
    const types: readonly string[] = addressTypesOf(service)
    const errors: string[] = []
    const obsolete = slices.filter(({ addressType }) => !types.includes(addressType))
    for (const { addressType } of obsolete) this.#topology?.forget(objectKey(service), addressType)
    for (const addressType of addressTypesOf(service)) {
      const existing = slices.filter(slice => slice.addressType === addressType)
      const plan = await planSlices({
        service,
        addressType,
        pods,
        existing,
        nodeOf: name => this.#nodes.store.get(name),
        max: MAX_ENDPOINTS,
        topology: this.#topology,
        hasSameDistribution: this.#env.features.enabled('PreferSameTrafficDistribution'),
      })
      errors.push(...plan.errors)
      const stamped = await runInTurns(stamp(plan.changes, changedAt))
      await this.#attempt(() => this.#writer.write(stamped, this.#writeOptions(service)), errors)
      for (const { type, reason, message } of plan.events) this.#events.record(SERVICES, service, type, reason, message)
    }
    for (const slice of obsolete) await this.#attempt(() => this.#writer.remove(slice, `Service ${objectKey(service)}`), errors)
    return errors
  }

  #writeOptions(service: Service): Parameters<SliceWriter['write']>[1] {
    return {
      of: `Service ${objectKey(service)}`,
      mayCreate: service.metadata.deletionTimestamp === undefined,
      mayRecycle: slice => isOwnedBy(slice, service),
    }
  }

  async #attempt(write: () => Promise<void>, errors: string[]): Promise<void> {
    try {
      await write()
    } catch (error) {
      if (!this.#signal.aborted) errors.push(errorMessage(error))
    }
  }
}

/** Sets the annotation with the time of the change, or removes it if there is none, of all slices that are written. */
function* stamp({ create, update, remove }: SliceChanges, changedAt: number | undefined): Steps<SliceChanges> {
  const stamped: SliceChanges = { create: [], update: [], remove }
  for (const slice of create) stamped.create.push(yield* stampSlice(slice, changedAt))
  for (const slice of update) stamped.update.push(yield* stampSlice(slice, changedAt))
  return stamped
}

function* stampSlice(slice: EndpointSlice, changedAt: number | undefined): Steps<EndpointSlice> {
  const annotations = yield* runIfSteps(withMembers(slice.metadata.annotations))
  if (changedAt === undefined) delete annotations[LAST_CHANGE]
  else annotations[LAST_CHANGE] = formatTime(changedAt)
  return { ...slice, metadata: { ...slice.metadata, annotations } }
}
