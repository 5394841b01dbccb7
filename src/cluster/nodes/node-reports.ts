import type { Lease } from '../../api/coordination/v1.types.ts'
import type { Node } from '../../api/core/v1.types.ts'
import type { JsonObject } from '../../api/meta/object.ts'
import { objectKey } from '../../clients/api-client.ts'
import { deepEqual } from '../../meta/equal.ts'
import { isStatusError, undefinedIfNotFound } from '../../meta/status.ts'
import { declaredFeatures } from '../shared/declared-features.ts'
import { type ClusterEnvironment, queueOf } from '../shared/environment.ts'
import type { Informer } from '../shared/informer.ts'
import { LEASES, NODES } from '../shared/kinds.ts'
import { NODE_LEASE_NAMESPACE } from '../shared/nodes.ts'
import type { KeyQueue } from '../shared/work-queue.ts'
import { conditionEvents, hasStaleConditions, nextConditions } from './node-conditions.ts'
import type { NodeEvents } from './node-events.ts'
import { isRenewalDue, newLease, renewedLease } from './node-lease.ts'
import { DEFAULT_RESOURCES, featuresOfNode, isSimulated, isStopped, nodeAddresses, nodeInfo } from './node-objects.ts'
import { RENEW_MS, RenewalSlots } from './renewal-slots.ts'

/**
 * Leases that are renewed at the same time. Five thousand nodes have 500 renewals a second, each of which waits for a
 * commit of the store.
 */
const RENEWING = 32
/** Statuses that are reported at the same time. Large ones never hold back the renewals of leases. */
const REPORTING = 16
/** A status that has not changed is reported every five minutes, as by a kubelet. */
const REPORT_MS = 300_000
/** Number of renewals of a lease from one report to the next. */
const RENEWALS_PER_REPORT = REPORT_MS / RENEW_MS

/** Informers of nodes and leases, and what depends on the simulator. */
export interface NodeReportsOptions {
  readonly env: ClusterEnvironment
  readonly nodes: Informer<Node>
  readonly leases: Informer<Lease>
  /** Returns a number for the address of a node that was not registered by this program. */
  readonly nextNumber: () => number
  /** Version of the kubelets: `v1.33.0`. */
  readonly version: string
  /** Whether conditions are reported here. Stages of a user may do so instead. */
  readonly reportsStatus: () => boolean
  readonly events: NodeEvents
  /** Called when the requests of a node succeed again after a failure. */
  readonly recovered: (node: Node) => void
}

/**
 * Reports the state of simulated nodes, as their kubelets do: renews their leases, and writes their conditions when
 * they change and every five minutes. A node that is stopped reports nothing. A key of both queues is a node.
 */
export class NodeReports {
  readonly #options: NodeReportsOptions
  /** Features of simulated kubelets. */
  readonly #features: readonly string[]
  readonly #slots: RenewalSlots
  readonly #renewals: KeyQueue
  readonly #statuses: KeyQueue
  /** Number of renewals until a node reports its status again. */
  readonly #untilReport = new Map<string, number>()
  readonly #reportDue = new Set<string>()
  /** Nodes whose last renewal or report has failed. */
  readonly #failing = new Set<string>()
  /** Numbers of nodes that other clients have created. An informer may still show a node without its address. */
  readonly #numbers = new Map<string, number>()

  constructor(options: NodeReportsOptions, signal: AbortSignal) {
    this.#options = options
    this.#features = declaredFeatures(options.env.features)
    this.#slots = new RenewalSlots(options.env.clock, node => this.#tick(node))
    const { env } = options
    const renew = (name: string): Promise<void> => this.#request(name, node => this.#renew(node))
    const report = (name: string): Promise<void> => this.#request(name, node => this.#reportStatus(name, node))
    this.#renewals = queueOf(env, 'kubelet_leases', signal, { workers: RENEWING, work: renew })
    this.#statuses = queueOf(env, 'kubelet_nodes', signal, { workers: REPORTING, work: report })
    signal.addEventListener('abort', () => this.#slots.close(), { once: true })
  }

  /** Takes a node that is new or has changed. */
  observe(node: Node): void {
    const name = objectKey(node)
    if (!isSimulated(node)) {
      this.forget(node)
      return
    }
    this.#slots.add(name)
    this.#renewals.add(name)
    this.#statuses.add(name)
  }

  /** Ends the reports of a node that is gone, or is no longer simulated. */
  forget(node: Node): void {
    const name = objectKey(node)
    this.#slots.remove(name)
    this.#untilReport.delete(name)
    this.#reportDue.delete(name)
    this.#failing.delete(name)
    this.#numbers.delete(name)
  }

  /** Enqueues the renewal of a node, and the report of its status if that is due. */
  #tick(name: string): void {
    // The first report of a node comes after one to thirty renewals, so that those of many nodes are spread over five
    // minutes.
    const left = (this.#untilReport.get(name) ?? 1 + (this.#untilReport.size % RENEWALS_PER_REPORT)) - 1
    if (left <= 0) this.#reportDue.add(name)
    this.#untilReport.set(name, left <= 0 ? RENEWALS_PER_REPORT : left)
    this.#renewals.add(name)
    this.#statuses.add(name)
  }

  /** Makes a request of a node unless it is stopped. */
  async #request(name: string, request: (node: Node) => Promise<void>): Promise<void> {
    const node = this.#options.nodes.store.get(name)
    if (!node || !isSimulated(node) || isStopped(node)) return
    try {
      await request(node)
    } catch (error) {
      this.#failing.add(name)
      throw error
    }
    if (this.#failing.delete(name)) this.#options.recovered(node)
  }

  /** Creates the lease of a node, or renews it if it is due. */
  async #renew(node: Node): Promise<void> {
    const { env, leases } = this.#options
    const { name = '' } = node.metadata
    const now = env.clock.now()
    const client = env.clientOfNode(name)
    const lease = leases.store.get(`${NODE_LEASE_NAMESPACE}/${name}`)
    try {
      if (lease === undefined) await client.create(LEASES, newLease(node, now))
      else if (isRenewalDue(lease, now)) await client.update(LEASES, renewedLease(lease, node, now))
    } catch (error) {
      // Another writer has changed the lease, or a watch event is late: the next renewal sees the new state.
      if (!isStatusError(error, 'Conflict', 'AlreadyExists', 'NotFound')) throw error
    }
  }

  /** Writes the status of a node if it is due or incomplete, or its conditions or features are stale. */
  async #reportStatus(name: string, node: Node): Promise<void> {
    const { env, events, reportsStatus } = this.#options
    if (!reportsStatus()) return
    const now = env.clock.now()
    const missing = this.#missingStatus(node)
    const declared = featuresOfNode(node.metadata, this.#features)
    const isDeclared = deepEqual(node.status.declaredFeatures ?? [], declared)
    if (missing === undefined && isDeclared && !this.#reportDue.has(name) && !hasStaleConditions(node, now)) return
    const present = node.status.conditions ?? []
    const conditions = nextConditions(node.metadata, present, now)
    const patch = { status: { ...missing, ...(!isDeclared && { declaredFeatures: [...declared] }), conditions } as JsonObject }
    const patched = await env
      .clientOfNode(name)
      .patch(NODES, { namespace: '', name, subresource: 'status' }, patch, 'strategic')
      .catch(undefinedIfNotFound)
    this.#reportDue.delete(name)
    if (patched === undefined) return
    if (present.length === 0) events.started(name)
    for (const reason of conditionEvents(present, conditions)) events.changed(name, reason)
  }

  /** Returns what a node that another client has created lacks. Undefined if it lacks nothing. */
  #missingStatus({ metadata, status }: Node): Partial<Node['status']> | undefined {
    const { capacity = DEFAULT_RESOURCES, allocatable = capacity, addresses = [] } = status
    const { name = '', labels = {} } = metadata
    const hasVersion = (status.nodeInfo?.kubeletVersion ?? '') !== ''
    if (status.capacity && status.allocatable && addresses.length > 0 && hasVersion) return undefined
    const os = labels['kubernetes.io/os'] ?? 'linux'
    const architecture = labels['kubernetes.io/arch'] ?? 'amd64'
    return {
      capacity: { ...capacity },
      allocatable: { ...allocatable },
      addresses: addresses.length > 0 ? addresses : nodeAddresses(name, this.#numberOf(name)),
      ...(!hasVersion && { nodeInfo: nodeInfo(this.#options.version, os, architecture) }),
    }
  }

  /** Number of a node that another client has created: the same in each report. */
  #numberOf(name: string): number {
    const number = this.#numbers.get(name) ?? this.#options.nextNumber()
    this.#numbers.set(name, number)
    return number
  }
}
