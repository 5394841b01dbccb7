import type { IPAddress, ServiceCIDR } from '../../../api/networking/v1.types.ts'
import { objectKey, type ResourceKind } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { eachInSlices } from '../../../lib/slices.ts'
import { parseIp } from '../../../meta/ip.ts'
import { isStatusError, undefinedIfNotFound } from '../../../meta/status.ts'
import { timeMillis } from '../../../meta/time.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import { firstServed } from '../../shared/first-served.ts'
import type { Informer } from '../../shared/informer.ts'
import { IP_ADDRESSES, SERVICE_CIDRS } from '../../shared/kinds.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { appliedCondition, hasCondition, RANGE_READY, RANGE_TERMINATING, type RangeCondition } from './condition.ts'
import { containingNames, isCovered, overlappingNames, serviceRanges, wouldBeOrphan } from './ranges.ts'

const [WORKERS, MAX_RETRIES] = [5, 15]
const NAME = 'service-cidr-controller'
const FINALIZER = 'networking.k8s.io/service-cidr-finalizer'
const [MANAGED_BY, ALLOCATOR] = ['ipaddress.kubernetes.io/managed-by', 'ipallocator.k8s.io']
/**
 * Time for which a deleted ServiceCIDR without addresses is kept, in milliseconds, so that the allocators of all
 * servers have seen the deletion.
 */
const DELETION_GRACE_MS = 10_000

/**
 * Reports ServiceCIDRs as ready, and keeps deleted ones while addresses belong to no other. A key is a ServiceCIDR.
 * Source: pkg/controller/servicecidrs of k8s.io/kubernetes.
 */
export const serviceCidrController: ClusterPart = async (env, signal) => {
  if (!env.features.enabled('MultiCIDRServiceAllocator')) return
  const kind = await firstServed(env, SERVICE_CIDRS, signal)
  const addresses = IP_ADDRESSES.find(({ version }) => version === kind?.version)
  if (kind && addresses) await new ServiceCidrController(env, kind, addresses, signal).run()
}

class ServiceCidrController {
  readonly #env: ClusterEnvironment
  readonly #kind: ResourceKind<ServiceCIDR>
  readonly #signal: AbortSignal
  readonly #cidrs: Informer<ServiceCIDR>
  readonly #addresses: Informer<IPAddress>
  readonly #events: EventRecorder
  readonly #queue: KeyQueue

  constructor(env: ClusterEnvironment, kind: ResourceKind<ServiceCIDR>, addresses: ResourceKind<IPAddress>, signal: AbortSignal) {
    this.#env = env
    this.#kind = kind
    this.#signal = signal
    this.#cidrs = env.informers.of(kind)
    this.#addresses = env.informers.of(addresses)
    this.#events = recorderOf(env, NAME, signal)
    this.#queue = queueOf(env, 'ipaddresses', signal, { workers: WORKERS, maxRetries: MAX_RETRIES, work: key => this.#sync(key) })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#cidrs, this.#addresses], this.#signal))) return
    const enqueue = (cidr: ServiceCIDR): void => this.#queue.add(objectKey(cidr))
    this.#cidrs.on({
      added: cidr => {
        enqueue(cidr)
        this.#lookAt(overlappingNames(cidr, this.#ranges()))
      },
      updated: enqueue,
      deleted: enqueue,
    })
    // An address can only keep a ServiceCIDR that is being deleted.
    this.#addresses.on({ added: address => this.#addressChanged(address), deleted: address => this.#addressChanged(address) })
    await untilAborted(this.#signal)
  }

  #ranges(): ReturnType<typeof serviceRanges> {
    return serviceRanges(this.#cidrs.store.list())
  }

  #lookAt(names: Iterable<string>): void {
    for (const name of names) this.#queue.add(name)
  }

  #addressChanged(address: IPAddress): void {
    const parsed = isAllocated(address) ? parseIp(address.metadata.name ?? '') : undefined
    const leaving = [...this.#cidrs.store.list()].filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    if (parsed && leaving.length > 0) this.#lookAt(containingNames(parsed, serviceRanges(leaving)))
  }

  async #sync(key: string): Promise<void> {
    const cidr = this.#cidrs.store.get(key)
    if (cidr === undefined) return
    const deleted = timeMillis(cidr.metadata.deletionTimestamp)
    if (deleted === undefined) return this.#makeReady(cidr)
    if (!(await this.#mayGo(cidr))) return this.#setCondition(cidr, RANGE_TERMINATING)
    const left = deleted + DELETION_GRACE_MS - this.#env.clock.now()
    if (left > 0) this.#queue.addAfter(key, left)
    else if (cidr.metadata.finalizers?.includes(FINALIZER))
      await this.#patchMetadata(cidr, { '$deleteFromPrimitiveList/finalizers': [FINALIZER] })
  }

  async #makeReady(cidr: ServiceCIDR): Promise<void> {
    if (!cidr.metadata.finalizers?.includes(FINALIZER)) await this.#patchMetadata(cidr, { finalizers: [FINALIZER] })
    try {
      await this.#setCondition(cidr, RANGE_READY)
    } catch (error) {
      const message = 'The ServiceCIDR Status can not be set to Ready=True'
      if (!isStatusError(error, 'NotFound')) this.#events.record(this.#kind, cidr, 'Warning', 'KubernetesServiceCIDRError', message)
      throw error
    }
  }

  async #mayGo(cidr: ServiceCIDR): Promise<boolean> {
    const ranges = this.#ranges()
    if (isCovered(cidr, ranges)) return true
    let isNeeded = false
    await eachInSlices([...this.#addresses.store.list()], address => {
      const parsed = isNeeded || !isAllocated(address) ? undefined : parseIp(address.metadata.name ?? '')
      isNeeded ||= parsed !== undefined && wouldBeOrphan(parsed, cidr.metadata.name ?? '', ranges)
    })
    return !isNeeded
  }

  /**
   * Applies a condition, unless the ServiceCIDR has it. Upstream applies it again and again, which changes only its
   * time.
   */
  async #setCondition(cidr: ServiceCIDR, condition: RangeCondition): Promise<void> {
    if (hasCondition(cidr, condition)) return
    const { name = '' } = cidr.metadata
    const options = { fieldManager: NAME, force: true }
    await this.#env.client.apply(
      this.#kind,
      { namespace: '', name, subresource: 'status' },
      appliedCondition(condition, this.#env.clock.now()),
      options,
    )
  }

  async #patchMetadata({ metadata: { name = '' } }: ServiceCIDR, metadata: { [field: string]: string[] }): Promise<void> {
    await this.#env.client.patch(this.#kind, { namespace: '', name }, { metadata }, 'strategic').catch(undefinedIfNotFound)
  }
}

/** Whether an address was allocated by an API server for a service. */
const isAllocated = ({ metadata: { labels } }: IPAddress): boolean => labels?.[MANAGED_BY] === ALLOCATOR
