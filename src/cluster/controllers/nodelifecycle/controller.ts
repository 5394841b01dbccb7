import type { Lease } from '../../../api/coordination/v1.types.ts'
import type { Node, NodeCondition, Pod, Taint } from '../../../api/core/v1.types.ts'
import type { JsonObject } from '../../../api/meta/object.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { isStatusError, undefinedIfNotFound } from '../../../meta/status.ts'
import { formatTime } from '../../../meta/time.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import type { Informer } from '../../shared/informer.ts'
import { LEASES, NODES, PODS } from '../../shared/kinds.ts'
import { NODE_LEASE_NAMESPACE } from '../../shared/nodes.ts'
import { isPodReady, podsByNode } from '../../shared/pods.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { Deadlines } from './deadlines.ts'
import { labelChanges } from './labels.ts'
import { lostConditions } from './lost-node.ts'
import { deadlineOf, graceOf, type NodeHealth, nextHealth, readyCondition } from './node-health.ts'
import { type EvictingChange, evictingChange, hasTaint, nextTaints } from './taints.ts'
import { ZoneEvictions } from './zone-evictions.ts'

const WORKERS = 8
const ZONES_KEY = 'zones'
const NO_CHANGE: EvictingChange = { add: [], remove: [] }

/**
 * Follows the health of nodes: a node whose kubelet is silent becomes Unknown, its conditions become taints, and the
 * pods of a node that is not ready are marked as not ready. A key is a node; a key of the second queue is a pod that
 * was bound to such a node. The third queue adds taints that evict pods, at the rate of the zones.
 */
export const nodeLifecycleController: ClusterPart = (env, signal) => new NodeLifecycle(env, signal).run()

class NodeLifecycle {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #nodes: Informer<Node>
  readonly #leases: Informer<Lease>
  readonly #pods: Informer<Pod>
  readonly #podsOn: (node: string) => readonly Pod[]
  readonly #events: EventRecorder
  readonly #queue: KeyQueue
  readonly #boundPods: KeyQueue
  readonly #evictions: KeyQueue
  readonly #zones = new ZoneEvictions()
  readonly #health = new Map<string, NodeHealth>()
  /** Nodes whose last observed condition Ready was True. */
  readonly #ready = new Set<string>()
  /** Nodes whose pods are to be marked as not ready. */
  readonly #unmarked = new Set<string>()
  readonly #grace: number
  readonly #deadlines: Deadlines

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#nodes = env.informers.of(NODES)
    this.#leases = env.informers.of(LEASES)
    this.#pods = env.informers.of(PODS)
    this.#podsOn = podsByNode(this.#pods)
    this.#events = recorderOf(env, 'node-controller', signal)
    this.#queue = queueOf(env, 'node_lifecycle_controller', signal, {
      workers: WORKERS,
      work: async name => {
        await this.#sync(name)
        this.#deadlines.settle(name)
      },
    })
    this.#boundPods = queueOf(env, 'node_lifecycle_controller_pods', signal, { workers: WORKERS, work: key => this.#markBound(key) })
    this.#evictions = queueOf(env, 'node_lifecycle_controller_taints', signal, { workers: 1, work: () => this.#evictDue() })
    this.#grace = graceOf(!isSince(env.features.release, '1.32'))
    this.#deadlines = new Deadlines({
      clock: env.clock,
      nodes: () => this.#health.keys(),
      deadlineOf: name => this.#deadlineOf(name),
      passed: names => this.#lost(names),
    })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#nodes, this.#leases, this.#pods], this.#signal))) return
    this.#nodes.on({
      added: node => {
        const { name = '' } = node.metadata
        this.#events.record(NODES, node, 'Normal', 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`)
        this.#observe(node)
      },
      updated: node => this.#observe(node),
      deleted: node => this.#forget(node),
    })
    this.#leases.on({
      added: lease => this.#leaseChanged(lease),
      updated: lease => this.#leaseChanged(lease),
    })
    this.#pods.on({
      added: pod => this.#podBound(pod),
      updated: (pod, old) => {
        if (pod.spec.nodeName !== old.spec.nodeName) this.#podBound(pod)
      },
    })
    await untilAborted(this.#signal)
    this.#deadlines.close()
  }

  #observe(node: Node): void {
    const { name = '' } = node.metadata
    const now = this.#env.clock.now()
    const renewed = this.#leases.store.get(`${NODE_LEASE_NAMESPACE}/${name}`)?.spec.renewTime
    this.#health.set(name, nextHealth(this.#health.get(name), node, renewed, now))
    this.#zones.set(node, readyCondition(node)?.status === 'True')
    this.#queue.add(name)
    this.#deadlines.observe(name)
  }

  #leaseChanged({ metadata: { namespace, name = '' }, spec: { renewTime } }: Lease): void {
    const known = this.#health.get(name)
    const node = this.#nodes.store.get(name)
    if (namespace !== NODE_LEASE_NAMESPACE || !known || !node) return
    this.#health.set(name, nextHealth(known, node, renewTime, this.#env.clock.now()))
  }

  #forget(node: Node): void {
    const { name = '' } = node.metadata
    this.#events.record(NODES, node, 'Normal', 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`)
    this.#health.delete(name)
    this.#ready.delete(name)
    this.#unmarked.delete(name)
    this.#zones.delete(name)
    this.#deadlines.settle(name)
    this.#updateZones()
  }

  /** Returns the time from which a node is lost. Undefined if it is lost already, or gone. */
  #deadlineOf(name: string): number | undefined {
    const [node, health] = [this.#nodes.store.get(name), this.#health.get(name)]
    return !node || !health || readyCondition(node)?.status === 'Unknown' ? undefined : deadlineOf(health, this.#grace)
  }

  /**
   * Takes the nodes that are lost by now. The zones learn of all of them before one is evicted: if all nodes are silent
   * at once, the fault is elsewhere.
   */
  #lost(names: readonly string[]): void {
    for (const name of names) {
      const node = this.#nodes.store.get(name)
      if (node) this.#zones.set(node, false)
      this.#queue.add(name)
    }
    this.#updateZones()
  }

  #updateZones(): void {
    const now = this.#env.clock.now()
    const disruption = this.#zones.update(now)
    if (disruption !== undefined) for (const name of this.#health.keys()) this.#queue.add(name)
    // A cluster that comes back has as much time as a new one.
    if (disruption === 'ended') for (const [name, health] of this.#health) this.#health.set(name, { ...health, seen: now })
    if (this.#zones.untilNext(now) !== undefined) this.#evictions.add(ZONES_KEY)
  }

  async #sync(name: string): Promise<void> {
    const node = this.#nodes.store.get(name)
    const health = this.#health.get(name)
    if (!node || !health) return
    const now = this.#env.clock.now()
    if (deadlineOf(health, this.#grace) < now && readyCondition(node)?.status !== 'Unknown') return this.#lose(node, now)
    const ready = readyCondition(node)
    this.#zones.set(node, ready?.status === 'True')
    await this.#reconcile(node, this.#evictingChangeOf(node, ready, now), now)
    this.#updateZones()
    this.#followTransition(node, ready)
    await this.#markPods(name)
  }

  /**
   * Returns the change of the taints that evict pods. A first taint is left to the queue of the zone; one taint
   * replaces the other at once.
   */
  #evictingChangeOf(node: Node, ready: NodeCondition | undefined, now: number): EvictingChange {
    const { name = '' } = node.metadata
    if (this.#zones.isHalted) return evictingChange('True', now)
    const change = evictingChange(ready?.status, now)
    if (change.add.length === 0 || change.add.every(taint => hasTaint(node.spec.taints, taint))) {
      if (ready?.status === 'True') this.#zones.spare(name)
      return { add: [], remove: change.remove }
    }
    if (change.remove.some(key => hasTaint(node.spec.taints, { key, effect: 'NoExecute' }))) return change
    this.#zones.spare(name)
    this.#zones.evict(name)
    return NO_CHANGE
  }

  /** Writes the labels and taints of a node that have changed. */
  async #reconcile(node: Node, change: EvictingChange, now: number): Promise<void> {
    const labels = labelChanges(node.metadata.labels)
    const taints = nextTaints(node, change, now)
    if (labels === undefined && taints === undefined) return
    await this.#patchNode(node, {
      metadata: { resourceVersion: node.metadata.resourceVersion ?? '', ...(labels && { labels }) },
      ...(taints && { spec: { taints: taints as unknown as JsonObject[] } }),
    })
  }

  async #patchNode({ metadata: { name = '' } }: Node, patch: JsonObject): Promise<void> {
    await this.#env.client.patch(NODES, { namespace: '', name }, patch).catch(undefinedIfNotFound)
  }

  /** Writes the conditions of a node whose kubelet is silent. The change is seen as an update of the node. */
  async #lose(node: Node, now: number): Promise<void> {
    const { status, metadata } = node
    const conditions = lostConditions(status.conditions ?? [], metadata.creationTimestamp ?? null, now)
    await this.#env.client.update(NODES, { ...node, status: { ...status, conditions } }, 'status').catch(undefinedIfNotFound)
  }

  #followTransition(node: Node, ready: NodeCondition | undefined): void {
    const { name = '' } = node.metadata
    const wasReady = this.#ready.has(name)
    if (ready?.status === 'True') {
      this.#ready.add(name)
      this.#unmarked.delete(name)
    } else if (ready && wasReady) {
      this.#ready.delete(name)
      this.#unmarked.add(name)
      this.#events.record(NODES, node, 'Normal', 'NodeNotReady', `Node ${name} status is now: NodeNotReady`)
    }
  }

  async #markPods(name: string): Promise<void> {
    if (!this.#unmarked.has(name)) return
    for (const pod of this.#podsOn(name)) await this.#markNotReady(pod)
    this.#unmarked.delete(name)
  }

  /** A pod that is bound to a node that is not ready is not ready either. */
  #podBound(pod: Pod): void {
    const node = this.#nodes.store.get(pod.spec.nodeName ?? '')
    const ready = node && readyCondition(node)
    if (ready && ready.status !== 'True' && isPodReady(pod)) this.#boundPods.add(objectKey(pod))
  }

  async #markBound(key: string): Promise<void> {
    const pod = this.#pods.store.get(key)
    const node = this.#nodes.store.get(pod?.spec.nodeName ?? '')
    const ready = node && readyCondition(node)
    if (pod && ready && ready.status !== 'True') await this.#markNotReady(pod)
  }

  async #markNotReady(pod: Pod): Promise<void> {
    if (!isPodReady(pod)) return
    const { namespace = '', name = '', uid = '' } = pod.metadata
    const { client, clock } = this.#env
    const condition = { type: 'Ready', status: 'False', lastTransitionTime: formatTime(clock.now()) }
    try {
      await client.patch(
        PODS,
        { namespace, name, subresource: 'status' },
        { metadata: { uid }, status: { conditions: [condition] } },
        'strategic',
      )
    } catch (error) {
      if (isStatusError(error, 'NotFound', 'Conflict')) return
      throw error
    }
    this.#events.record(PODS, pod, 'Warning', 'NodeNotReady', 'Node is not ready')
  }

  /** Adds the taints that evict pods to the nodes that are due. */
  async #evictDue(): Promise<void> {
    const { clock } = this.#env
    for (const name of this.#zones.due(clock.now())) {
      const node = this.#nodes.store.get(name)
      const change = node && evictingChange(readyCondition(node)?.status, clock.now())
      if (!node || !change || change.add.length === 0) continue
      try {
        await this.#evict(node, change)
      } catch (error) {
        this.#zones.spare(name)
        this.#queue.add(name)
        if (!isStatusError(error, 'Conflict')) throw error
      }
    }
    const left = this.#zones.untilNext(clock.now())
    if (left !== undefined) this.#evictions.addAfter(ZONES_KEY, Math.max(1, left))
  }

  async #evict(node: Node, { add, remove }: EvictingChange): Promise<void> {
    const present = (node.spec.taints ?? []).filter(({ key, effect }) => effect !== 'NoExecute' || !remove.includes(key))
    const taints: Taint[] = [...present, ...add.filter(taint => !hasTaint(present, taint))]
    await this.#patchNode(node, {
      metadata: { resourceVersion: node.metadata.resourceVersion ?? '' },
      spec: { taints: taints as unknown as JsonObject[] },
    })
  }
}
