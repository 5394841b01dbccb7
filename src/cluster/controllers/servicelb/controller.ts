import type { LoadBalancerStatus, Node, Service } from '../../../api/core/v1.types.ts'
import type { JsonObject } from '../../../api/meta/object.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { undefinedIfNotFound } from '../../../meta/status.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder, EventType } from '../../shared/event-recorder.ts'
import type { Informer } from '../../shared/informer.ts'
import { NODES, SERVICES } from '../../shared/kinds.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { AddressPool } from './address-pool.ts'
import { FINALIZER, hasFinalizer, isBalanced, needsCleanup, needsUpdate, wantsLoadBalancer } from './changes.ts'

const WORKERS = 1
const FIRST_RETRY_MS = 5000
const NODES_KEY = 'nodes'

/**
 * Gives services of type LoadBalancer addresses of the configured ranges. A key is a service. No traffic is balanced.
 */
export const serviceLoadBalancerController: ClusterPart = (env, signal) => new LoadBalancerController(env, signal).run()

class LoadBalancerController {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #services: Informer<Service>
  readonly #nodes: Informer<Node>
  readonly #queue: KeyQueue
  readonly #nodeQueue: KeyQueue
  readonly #events: EventRecorder
  readonly #pool: AddressPool
  /** Addresses of load balancers, by the key of their service. */
  readonly #balancers = new Map<string, readonly string[]>()
  /** Nodes to which a load balancer sends traffic, as text, by the key of its service. */
  readonly #targets = new Map<string, string>()

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#services = env.informers.of(SERVICES)
    this.#nodes = env.informers.of(NODES)
    this.#queue = queueOf(env, 'service', signal, { workers: WORKERS, firstRetryMs: FIRST_RETRY_MS, work: key => this.#sync(key) })
    this.#nodeQueue = queueOf(env, 'node', signal, { workers: 1, firstRetryMs: FIRST_RETRY_MS, work: async () => this.#nodesChanged() })
    this.#events = recorderOf(env, 'service-controller', signal)
    this.#pool = new AddressPool(env.loadBalancerRanges)
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#services, this.#nodes], this.#signal))) return
    for (const service of this.#services.store.list()) this.#takePresent(service)
    this.#services.on({
      added: service => {
        if (wantsLoadBalancer(service) || needsCleanup(service)) this.#queue.add(objectKey(service))
      },
      updated: (service, old) => {
        if (needsUpdate(old, service) || needsCleanup(service)) this.#queue.add(objectKey(service))
      },
      deleted: service => this.#forget(objectKey(service)),
    })
    const changed = (): void => this.#nodeQueue.add(NODES_KEY)
    this.#nodes.on({
      added: changed,
      updated: (node, old) => {
        if (isBalanced(node) !== isBalanced(old) || node.spec.providerID !== old.spec.providerID) changed()
      },
      deleted: changed,
    })
    await untilAborted(this.#signal)
  }

  /** Keeps the addresses that services have from an earlier start. */
  #takePresent(service: Service): void {
    const key = objectKey(service)
    const present = (service.status.loadBalancer.ingress ?? []).flatMap(({ ip }) =>
      ip !== undefined && this.#pool.take(ip, key) ? [ip] : [],
    )
    if (present.length > 0) this.#balancers.set(key, present)
  }

  #forget(key: string): void {
    this.#pool.release(this.#balancers.get(key) ?? [], key)
    this.#balancers.delete(key)
    this.#targets.delete(key)
  }

  async #sync(key: string): Promise<void> {
    const service = this.#services.store.get(key)
    if (!service) return this.#forget(key)
    const isWanted = wantsLoadBalancer(service) && !needsCleanup(service) && service.metadata.deletionTimestamp === undefined
    try {
      await this.#writeStatus(service, isWanted ? await this.#ensure(key, service) : await this.#cleanUp(key, service))
    } catch (error) {
      this.#record(service, 'Warning', 'SyncLoadBalancerFailed', `Error syncing load balancer: ${errorMessage(error)}`)
      throw error
    }
  }

  async #ensure(key: string, service: Service): Promise<LoadBalancerStatus> {
    this.#record(service, 'Normal', 'EnsuringLoadBalancer', 'Ensuring load balancer')
    if (!hasFinalizer(service)) await this.#patch(service, { metadata: { finalizers: [FINALIZER] } })
    const targets = this.#targetsOf()
    if (targets === '') this.#record(service, 'Warning', 'UnAvailableLoadBalancer', 'There are no available nodes for LoadBalancer')
    this.#targets.set(key, targets)
    const addresses = this.#addressesFor(key, service)
    this.#record(service, 'Normal', 'EnsuredLoadBalancer', 'Ensured load balancer')
    return { ingress: addresses.map(ip => ({ ip })) }
  }

  /** Returns an address for each family of a service. Throws an Error if the ranges have none. */
  #addressesFor(key: string, { spec }: Service): readonly string[] {
    const present = this.#balancers.get(key) ?? []
    const isOf = (address: string, family: string): boolean => address.includes(':') === (family === 'IPv6')
    const wanted = spec.loadBalancerIP || undefined
    const addresses = (spec.ipFamilies ?? ['IPv4']).map((family): string => {
      if (wanted !== undefined && isOf(wanted, family)) {
        if (this.#pool.take(wanted, key)) return wanted
        throw new Error(`failed to ensure load balancer: address ${wanted} is in use, or not in the ranges of load balancers`)
      }
      const address = present.find(each => isOf(each, family)) ?? this.#pool.assign(family === 'IPv6' ? 6 : 4, key)
      if (address === undefined)
        throw new Error(`failed to ensure load balancer: no free ${family} address in the ranges of load balancers`)
      return address
    })
    this.#pool.release(
      present.filter(address => !addresses.includes(address)),
      key,
    )
    this.#balancers.set(key, addresses)
    return addresses
  }

  async #cleanUp(key: string, service: Service): Promise<LoadBalancerStatus> {
    if (this.#balancers.has(key)) this.#record(service, 'Normal', 'DeletingLoadBalancer', 'Deleting load balancer')
    this.#forget(key)
    // The service is gone if nothing else keeps it.
    if (hasFinalizer(service)) await this.#patch(service, { metadata: { '$deleteFromPrimitiveList/finalizers': [FINALIZER] } })
    this.#record(service, 'Normal', 'DeletedLoadBalancer', 'Deleted load balancer')
    return {}
  }

  async #writeStatus(service: Service, { ingress }: LoadBalancerStatus): Promise<void> {
    const addresses = (status: LoadBalancerStatus['ingress']): unknown => (status ?? []).map(({ ip, hostname }) => [ip, hostname])
    if (deepEqual(addresses(service.status.loadBalancer.ingress), addresses(ingress))) return
    await this.#patch(service, { status: { loadBalancer: { ingress: (ingress ?? null) as JsonObject[] | null } } })
  }

  async #patch({ metadata: { namespace = '', name = '' } }: Service, patch: JsonObject): Promise<void> {
    await this.#env.client.patch(SERVICES, { namespace, name, subresource: 'status' }, patch, 'strategic').catch(undefinedIfNotFound)
  }

  /** Nodes to which load balancers send traffic, as text that changes with them. */
  #targetsOf(): string {
    const nodes = [...this.#nodes.store.list()].filter(isBalanced)
    return nodes
      .map(({ metadata, spec }) => `${metadata.name} ${spec.providerID ?? ''}`)
      .toSorted()
      .join()
  }

  #nodesChanged(): void {
    if (this.#targets.size === 0) return
    const targets = this.#targetsOf()
    for (const [key, before] of this.#targets) {
      const service = this.#services.store.get(key)
      if (before === targets || !service || !wantsLoadBalancer(service)) continue
      this.#targets.set(key, targets)
      if (targets === '') this.#record(service, 'Warning', 'UnAvailableLoadBalancer', 'There are no available nodes for LoadBalancer')
      else this.#record(service, 'Normal', 'UpdatedLoadBalancer', 'Updated load balancer with new hosts')
    }
  }

  #record(service: Service, type: EventType, reason: string, message: string): void {
    this.#events.record(SERVICES, service, type, reason, message)
  }
}
