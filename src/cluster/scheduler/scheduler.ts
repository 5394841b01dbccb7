import type { Pod } from '../../api/core/v1.types.ts'
import type { KubeObject, TypedObject } from '../../api/meta/object.ts'
import { objectKey, type ResourceKind } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { untilAborted } from '../../lib/on-abort.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { deepEqual } from '../../meta/equal.ts'
import { isStatusError } from '../../meta/status.ts'
import { formatTime } from '../../meta/time.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../shared/environment.ts'
import type { EventRecorder } from '../shared/event-recorder.ts'
import type { Informer } from '../shared/informer.ts'
import { DISRUPTION_BUDGETS, NAMESPACES, NODES, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, SERVICES, STATEFUL_SETS } from '../shared/kinds.ts'
import type { RequestRules } from '../shared/pod-requests.ts'
import { disruptionTarget, isPodTerminal, podCondition, podPriority } from '../shared/pods.ts'
import type { KeyQueue } from '../shared/work-queue.ts'
import { ChangeWaiters } from './change-waiters.ts'
import { ClusterState } from './cluster-state.ts'
import { DEFAULT_SCHEDULER, defaultProfile } from './default-profile.ts'
import { failureText } from './failure-text.ts'
import { type ActiveReserve, chooseNode, type Filtered, filterNodes } from './find-node.ts'
import type { BindingContext } from './framework.ts'
import type { NodeInfo } from './node-info.ts'
import { NominatedPodsByNode } from './nominated-pods.ts'
import { type PodInfo, podInfo } from './pod-info.ts'
import { BY_SCHEDULER, type PreemptionArgs, type PreemptionCandidate, preempt } from './preemption.ts'
import type { Profile } from './profile.ts'
import { type ClusterEvent, type QueuedPod, SchedulingQueue } from './queue.ts'
import { type BindingRejection, Reservations } from './reservations.ts'
import type { ClusterObjects } from './snapshot.ts'

/** The only key of the work queue: it stands for all pods of the scheduling queue. */
const PENDING = 'pending pods'
/** Bindings that are written at the same time. */
const MOST_BINDINGS = 64
/** Longest note of an event. */
const MOST_NOTE = 1024

/** Kinds that plugins read besides nodes and pods. */
const READ_KINDS = [NAMESPACES, SERVICES, REPLICATION_CONTROLLERS, REPLICA_SETS, STATEFUL_SETS, DISRUPTION_BUDGETS] as readonly ResourceKind<TypedObject>[]

/** Assigns pods to nodes as kube-scheduler does. Pods of other `schedulerName`s are left alone. */
export const scheduler: ClusterPart = (env, signal) => new Scheduler(env, signal).run()

class Scheduler {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #profiles: ReadonlyMap<string, Profile>
  readonly #preemption: PreemptionArgs = {}
  readonly #rules: RequestRules
  readonly #pods: Informer<Pod>
  readonly #state: ClusterState
  readonly #pending: SchedulingQueue
  readonly #nominated = new NominatedPodsByNode()
  readonly #work: KeyQueue
  readonly #recorder: EventRecorder
  readonly #bindingContext: BindingContext
  readonly #bindings = new Set<Promise<void>>()
  /** Pods that are prepared before they are bound. Their number is not limited, as they may wait for other parts of the cluster. */
  readonly #preparations = new Set<Promise<void>>()
  /** Index of the node that the next cycle checks first. */
  #next = 0

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    const { features, informers, clock } = env
    this.#env = env
    this.#signal = signal
    this.#profiles = new Map([[DEFAULT_SCHEDULER, defaultProfile(features.release)]])
    this.#rules = { podLevel: features.enabled('PodLevelResources'), inPlace: features.enabled('InPlacePodVerticalScaling') }
    this.#pods = informers.of(PODS)
    this.#state = new ClusterState(this.#objects())
    this.#pending = new SchedulingQueue(clock)
    this.#recorder = recorderOf(env, DEFAULT_SCHEDULER, signal)
    const changes = new ChangeWaiters(informers, signal)
    this.#bindingContext = { client: env.client, clock, signal, untilChanged: kind => changes.untilChanged(kind) }
    this.#work = queueOf(env, 'scheduler', signal, { workers: 1, work: () => this.#scheduleAll() })
  }

  async run(): Promise<void> {
    const { informers } = this.#env
    const nodes = informers.of(NODES)
    const others = READ_KINDS.map(kind => informers.of(kind))
    if (!(await untilSynced([nodes, this.#pods, ...others], this.#signal))) return
    nodes.on({
      added: node => this.#react(this.#state.setNode(node)),
      updated: node => this.#react(this.#state.setNode(node)),
      deleted: node => this.#state.deleteNode(node),
    })
    this.#pods.on({
      added: pod => this.#observe(pod, undefined),
      updated: (pod, old) => this.#observe(pod, old),
      deleted: pod => this.#forget(pod),
    })
    await untilAborted(this.#signal)
    await Promise.allSettled([...this.#preparations, ...this.#bindings])
  }

  /** Reads of the objects that plugins use besides nodes and pods. */
  #objects(): ClusterObjects {
    const stores = new Map(READ_KINDS.map(kind => [kind.kind, this.#env.informers.of(kind).store]))
    return {
      get: <T extends KubeObject>(kind: string, namespace: string, name: string) =>
        stores.get(kind)?.get(namespace === '' ? name : `${namespace}/${name}`) as T | undefined,
      list: <T extends KubeObject>(kind: string, namespace?: string) => {
        const store = stores.get(kind)
        return (namespace === undefined ? [...(store?.list() ?? [])] : (store?.inNamespace(namespace) ?? [])) as readonly unknown[] as readonly T[]
      },
    }
  }

  #observe(pod: Pod, old: Pod | undefined): void {
    if (isPodTerminal(pod)) this.#forget(pod)
    else if (pod.spec.nodeName) {
      this.#pending.delete(pod)
      this.#nominated.delete(pod)
      this.#react(this.#state.setPod(podInfo(pod, this.#rules)))
    } else this.#enqueue(pod, old)
  }

  #enqueue(pod: Pod, old: Pod | undefined): void {
    const profile = this.#profiles.get(schedulerName(pod))
    if (profile === undefined || pod.metadata.deletionTimestamp !== undefined) {
      this.#pending.delete(pod)
      return
    }
    if (profile.plugins.some(({ plugin }) => plugin.preEnqueue?.(pod) !== undefined)) return
    if (pod.status.nominatedNodeName) this.#nominated.set(podInfo(pod, this.#rules), pod.status.nominatedNodeName)
    this.#pending.put(pod, old !== undefined && !isSameToScheduler(pod, old))
    this.#work.add(PENDING)
  }

  #forget(pod: Pod): void {
    this.#pending.delete(pod)
    this.#nominated.delete(pod)
    if (this.#state.deletePod(pod)) this.#react(['assigned pod deleted'])
  }

  #react(events: readonly ClusterEvent[]): void {
    for (const event of events) this.#pending.react(event)
    this.#work.add(PENDING)
  }

  async #scheduleAll(): Promise<void> {
    for (let queued = this.#pending.take(); queued !== undefined && !this.#signal.aborted; queued = this.#pending.take()) {
      await this.#schedule(queued)
      while (this.#bindings.size >= MOST_BINDINGS) await Promise.race(this.#bindings)
      if (turnIsSpent()) await nextTurn()
    }
    const wait = this.#pending.untilNext()
    if (wait !== undefined) this.#work.addAfter(PENDING, wait)
  }

  async #schedule(queued: QueuedPod): Promise<void> {
    const { pod } = queued
    const profile = this.#profiles.get(schedulerName(pod))
    if (profile === undefined) return
    // The binding is written, and an older state of the pod was observed after that.
    if (this.#state.isAssigned(pod)) return this.#pending.delete(pod)
    try {
      const info = podInfo(pod, this.#rules)
      const snapshot = this.#state.snapshot()
      const preferred = pod.status.nominatedNodeName
      const nominated = (name: string) => this.#nominated.on(name)
      const filtered = filterNodes(info, snapshot, profile, { from: this.#next, nominated, preferred })
      if (!('feasible' in filtered)) return await this.#reject(queued, info, filtered)
      this.#next = filtered.feasible.next
      const node = chooseNode(info, snapshot, profile, filtered.feasible.nodes, Math.random)
      if (node) await this.#assign(queued, info, node, filtered.feasible.reserves)
    } catch (error) {
      this.#state.forgetAssumed(pod)
      await this.#fail(queued, new Set(), 'SchedulerError', errorMessage(error))
    }
  }

  /** Reserves the node, and binds the pod in the background. It counts for the node already. */
  async #assign(queued: QueuedPod, info: PodInfo, node: NodeInfo, reserves: readonly ActiveReserve[]): Promise<void> {
    this.#state.assume(info, node.name)
    this.#nominated.delete(queued.pod)
    const { reservations, rejection } = Reservations.make(reserves, node)
    if (rejection) return this.#takeBack(queued, node, reservations, rejection)
    if (!reservations.isPending) return this.#bind(queued, info, node, reservations)
    const preparation = this.#prepare(queued, info, node, reservations).finally(() => this.#preparations.delete(preparation))
    this.#preparations.add(preparation)
  }

  async #prepare(queued: QueuedPod, info: PodInfo, node: NodeInfo, reservations: Reservations): Promise<void> {
    try {
      const rejection = await reservations.preBind(this.#bindingContext)
      if (rejection === undefined) this.#bind(queued, info, node, reservations)
      else await this.#takeBack(queued, node, reservations, rejection)
    } catch (error) {
      if (!this.#signal.aborted) await this.#takeBack(queued, node, reservations, errorMessage(error))
    }
  }

  #bind(queued: QueuedPod, info: PodInfo, node: NodeInfo, reservations: Reservations): void {
    const binding = this.#writeBinding(queued, info, node, reservations).finally(() => this.#bindings.delete(binding))
    this.#bindings.add(binding)
  }

  /** Releases a node that was assumed for a pod, and returns the pod to the queue. @param reason rejection of a plugin, or the message of an error */
  async #takeBack(queued: QueuedPod, { name }: NodeInfo, reservations: Reservations, reason: BindingRejection | string): Promise<void> {
    await reservations.release(this.#bindingContext)
    this.#state.forgetAssumed(queued.pod)
    if (typeof reason === 'string') await this.#fail(queued, new Set(), 'SchedulerError', reason)
    else {
      const { plugin, status } = reason
      const plugins = new Set([plugin])
      await this.#fail(queued, plugins, 'Unschedulable', failureText({ nodeCount: 1, preFilterReason: '', statuses: new Map([[name, status]]), plugins }))
    }
    this.#react(['assigned pod deleted'])
  }

  async #writeBinding(queued: QueuedPod, { pod }: PodInfo, node: NodeInfo, reservations: Reservations): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata
    const binding = {
      kind: 'Binding',
      apiVersion: 'v1',
      metadata: { namespace, name, ...(uid !== undefined && { uid }) },
      target: { kind: 'Node', name: node.name },
    }
    try {
      await this.#env.client.post(PODS, { namespace, name, subresource: 'binding' }, binding)
      this.#pending.delete(pod)
      this.#recorder.record(PODS, pod, 'Normal', 'Scheduled', `Successfully assigned ${objectKey(pod)} to ${node.name}`)
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) return this.#takeBack(queued, node, reservations, `binding rejected: ${errorMessage(error)}`)
      await reservations.release(this.#bindingContext)
      this.#state.forgetAssumed(pod)
      this.#pending.delete(pod)
    }
  }

  async #reject(queued: QueuedPod, info: PodInfo, filtered: Exclude<Filtered, { feasible: unknown }>): Promise<void> {
    const nominated = (name: string) => this.#nominated.on(name)
    const preemption = preempt({ pod: info, snapshot: this.#state.snapshot(), ...filtered, nominated, args: this.#preemption, random: Math.random })
    const candidate = 'candidate' in preemption ? preemption.candidate : undefined
    const message = failureText(filtered.infeasible, 'message' in preemption && filtered.infeasible.nodeCount > 0 ? preemption.message : '')
    if (candidate) {
      this.#nominated.set(info, candidate.node.name)
      await this.#evict(info.pod, candidate)
    }
    await this.#fail(queued, filtered.infeasible.plugins, 'Unschedulable', message, candidate?.node.name)
  }

  /** Deletes the victims of a preemption, and takes back nominations that it makes void. */
  async #evict(pod: Pod, { node, victims }: PreemptionCandidate): Promise<void> {
    const { client, clock } = this.#env
    const condition = disruptionTarget(BY_SCHEDULER, `${schedulerName(pod)}: preempting to accommodate a higher priority pod`, clock.now())
    for (const { pod: victim } of victims) {
      const { namespace = '', name = '', uid } = victim.metadata
      await client.patch(PODS, { namespace, name, subresource: 'status' }, { status: { conditions: [condition] } }, 'strategic')
      await client.delete(PODS, namespace, name, uid === undefined ? {} : { uid })
      this.#recorder.record(PODS, victim, 'Normal', 'Preempted', `Preempted by pod ${pod.metadata.uid ?? ''} on node ${node.name}`)
    }
    for (const { pod: lower } of this.#nominated.lowerThan(node.name, podPriority(pod))) {
      const { namespace = '', name = '' } = lower.metadata
      this.#nominated.delete(lower)
      await client.patch(PODS, { namespace, name, subresource: 'status' }, { status: { nominatedNodeName: null } }, 'strategic')
    }
  }

  /** Returns a pod to the queue, and reports why. @param nominatedNode node on which a preemption makes room */
  async #fail(queued: QueuedPod, plugins: ReadonlySet<string>, reason: string, message: string, nominatedNode?: string): Promise<void> {
    const { pod } = queued
    this.#pending.fail(queued, plugins)
    this.#recorder.record(PODS, pod, 'Warning', 'FailedScheduling', message.length > MOST_NOTE ? `${message.slice(0, MOST_NOTE - 4)} ...` : message)
    const status = failureStatus(pod, reason, message, formatTime(this.#env.clock.now()), nominatedNode)
    if (status === undefined) return
    const { namespace = '', name = '' } = pod.metadata
    try {
      await this.#env.client.patch(PODS, { namespace, name, subresource: 'status' }, { status }, 'strategic')
    } catch (error) {
      this.#env.logger.debug(2, 'the condition of an unschedulable pod was not written', { pod: objectKey(pod), error: errorMessage(error) })
    }
  }
}

const schedulerName = ({ spec }: Pod): string => spec.schedulerName || DEFAULT_SCHEDULER

/** Returns the patch of a pod's status that reports a failure. Undefined if the status says so already. */
function failureStatus(pod: Pod, reason: string, message: string, now: string, nominatedNode: string | undefined) {
  const old = podCondition(pod, 'PodScheduled')
  const isNominated = nominatedNode !== undefined && nominatedNode !== pod.status.nominatedNodeName
  if (old?.status === 'False' && old.reason === reason && old.message === message && !isNominated) return undefined
  const lastTransitionTime = old?.status === 'False' ? (old.lastTransitionTime ?? now) : now
  const condition = { type: 'PodScheduled', status: 'False', reason, message, lastProbeTime: null, lastTransitionTime }
  return { conditions: [condition], ...(isNominated && { nominatedNodeName: nominatedNode }) }
}

/** Reports whether a change of a pod leaves everything that plugins read as it was. */
const isSameToScheduler = (pod: Pod, old: Pod): boolean =>
  deepEqual(pod.spec, old.spec) &&
  deepEqual(pod.metadata.labels ?? {}, old.metadata.labels ?? {}) &&
  deepEqual(pod.metadata.annotations ?? {}, old.metadata.annotations ?? {})
