import type { Pod } from '../../api/core/v1.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { untilAborted } from '../../lib/on-abort.ts'
import { seededRandom } from '../../lib/seeded-random.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { isSince } from '../../lifecycle/release.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, untilSynced } from '../shared/environment.ts'
import { compositeKindOf, groupKindOf } from '../shared/group-kinds.ts'
import type { Informer } from '../shared/informer.ts'
import { NODES, PODS } from '../shared/kinds.ts'
import { keepAllocatable } from '../shared/node-amounts.ts'
import { requestRules } from '../shared/pod-requests.ts'
import { isPodTerminal, isPodTerminating } from '../shared/pods.ts'
import { SeriesRecorder } from '../shared/series-recorder.ts'
import { TaskQueue } from '../shared/task-queue.ts'
import type { KeyQueue } from '../shared/work-queue.ts'
import { AttemptReports, schedulerName } from './attempt-reports.ts'
import { Binder } from './binder.ts'
import { ChangeWaiters } from './change-waiters.ts'
import type { ClusterEvent } from './cluster-events.ts'
import { ClusterState } from './cluster-state.ts'
import { schedulerSettings } from './configuration/settings.ts'
import { DEFAULT_SCHEDULER } from './default-profile.ts'
import { type EvictionParts, evictForGroup } from './evictions.ts'
import type { Extender } from './extenders/extender.ts'
import type { AttemptFailure } from './failure-status.ts'
import type { BindingContext } from './framework.ts'
import { GroupConditions } from './groups/group-conditions.ts'
import { GroupCycle } from './groups/group-cycle.ts'
import { GrownGroups } from './groups/grown-groups.ts'
import { groupOf, membersOf } from './groups/pod-group.ts'
import { ScheduledGroups } from './groups/scheduled-groups.ts'
import { type ChosenNode, NodeFinder } from './node-finder.ts'
import { NominatedPodsByNode } from './nominated-pods.ts'
import { PodReferences } from './object-events.ts'
import { FollowedObjects, READ_KINDS } from './object-kinds.ts'
import { DYNAMIC_RESOURCES } from './plugins/dynamic-resources.ts'
import type { PodInfo } from './pod-info.ts'
import { isSameToPlugins, PodInfos } from './pod-infos.ts'
import { PostFilters } from './post-filters.ts'
import type { Profile } from './profile.ts'
import { type QueuedPod, SchedulingQueue } from './queue.ts'
import { Reactions } from './reactions.ts'
import { SchedulerMetrics } from './scheduler-metrics.ts'
import { servedEventKinds } from './served-kinds.ts'

/** The only key of the work queue: it stands for all pods of the scheduling queue. */
const PENDING = 'pending pods'
/** Bindings and preemptions that are written at the same time. */
const MOST_WRITES = 64

/** Assigns pods to nodes as kube-scheduler does. Pods of other `schedulerName`s are left alone. */
export const scheduler: ClusterPart = (env, signal) => new Scheduler(env, signal).run()

class Scheduler {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #profiles: ReadonlyMap<string, Profile>
  readonly #extenders: readonly Extender[]
  readonly #infos: PodInfos
  readonly #pods: Informer<Pod>
  readonly #references: PodReferences
  readonly #objects: FollowedObjects
  readonly #state: ClusterState
  readonly #pending: SchedulingQueue
  readonly #nominated = new NominatedPodsByNode()
  readonly #work: KeyQueue
  readonly #recorder: SeriesRecorder
  readonly #reports: AttemptReports
  /** Bindings and evictions that are being written. */
  readonly #writes: TaskQueue
  readonly #bindingContext: BindingContext
  readonly #binder: Binder
  readonly #reactions: Reactions
  readonly #random: () => number
  /** Uids of pods that may not enter the queue yet. */
  readonly #gated = new Set<string>()
  readonly #grown: GrownGroups
  /** Pods of groups that have nodes. */
  readonly #groups: ScheduledGroups
  readonly #finder: NodeFinder
  readonly #postFilters: PostFilters
  /** Omitted if pods are scheduled one by one. */
  readonly #groupCycle: GroupCycle | undefined

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    const {
      features,
      informers,
      clock,
      random,
      scheduler: settings = schedulerSettings(undefined, features),
      schedulerMetrics = new SchedulerMetrics(),
    } = env
    this.#env = env
    this.#signal = signal
    this.#profiles = settings.profiles
    this.#extenders = settings.extenders
    schedulerMetrics.follow({ pending: () => ({ ...this.#pending.lengths, gated: this.#gated.size }), cache: () => this.#state.sizes })
    this.#random = seededRandom(Math.floor(random.number() * 2 ** 32))
    this.#infos = new PodInfos(requestRules(gate => features.enabled(gate)))
    this.#pods = informers.of(PODS)
    this.#objects = new FollowedObjects(informers, clock, compositeKindOf(features) !== undefined)
    this.#references = new PodReferences(this.#pods, this.#objects)
    this.#grown = new GrownGroups(this.#objects)
    this.#groups = new ScheduledGroups(pod => this.#pending.activate(membersOf(pod, this.#objects)))
    this.#state = new ClusterState(this.#objects, this.#groups)
    this.#pending = new SchedulingQueue(clock, settings.backOff, {
      entered: (event, queue) => void schedulerMetrics.incoming.child(event, queue).value++,
      rejected: (pod, plugins, change) => this.#reports.countRejections(pod, plugins, change),
    })
    const [pending, infos, objects] = [this.#pending, this.#infos, this.#objects]
    this.#reactions = new Reactions({ profiles: settings.profiles, pending, infos, objects, wake: () => this.#work.add(PENDING) })
    const { client, logger, meters } = env
    this.#recorder = new SeriesRecorder({
      component: DEFAULT_SCHEDULER,
      client,
      clock,
      logger,
      meter: meters.meter(`${DEFAULT_SCHEDULER}_events`),
      signal,
    })
    this.#reports = new AttemptReports(env, this.#recorder, schedulerMetrics)
    const changes = new ChangeWaiters(informers)
    this.#bindingContext = {
      client: env.client,
      clock,
      signal,
      onChange: (kind, wake) => changes.onChange(kind, wake),
      newId: () => random.uuid(),
      record: (pod, event) => this.#reports.record(pod, event),
    }
    this.#binder = this.#newBinder(settings.extenders, schedulerMetrics)
    const shared = { metrics: schedulerMetrics, random: this.#random, logger }
    this.#finder = new NodeFinder({ ...shared, extenders: settings.extenders, nominated: this.#nominated, signal })
    this.#postFilters = new PostFilters({
      ...shared,
      evictions: this.#evictions(),
      extenders: settings.extenders,
      context: this.#bindingContext,
      pending: this.#pending,
      write: (pod, write) => this.#write(objectKey(pod), write),
      endNomination: pod => this.#endNomination(pod),
    })
    this.#groupCycle = groupKindOf(features)?.kind === 'PodGroup' ? this.#newGroupCycle(schedulerMetrics) : undefined
    this.#writes = new TaskQueue(env, 'scheduler_writes', signal, MOST_WRITES)
    this.#work = queueOf(env, 'scheduler', signal, { workers: 1, work: () => this.#scheduleAll() })
  }

  #newBinder(extenders: readonly Extender[], metrics: SchedulerMetrics): Binder {
    return new Binder({
      context: this.#bindingContext,
      nominates: this.#env.features.enabled('NominatedNodeNameForExpectation'),
      extenders,
      logger: this.#env.logger,
      state: this.#state,
      pending: this.#pending,
      reports: this.#reports,
      observe: (pod, ...outcome) => metrics.observerOf(schedulerName(pod))(...outcome),
      write: (pod, write) => this.#write(objectKey(pod), write),
      takenBack: (queued, plugins, failure) => {
        this.#fail(queued, plugins, failure)
        this.#reactions.to(['assigned pod deleted', 'device claim'])
      },
    })
  }

  async run(): Promise<void> {
    const { informers } = this.#env
    const nodes = informers.of(NODES)
    const isUsed = [...this.#profiles.values()].some(({ plugins }) => plugins.some(({ plugin }) => plugin.name === DYNAMIC_RESOURCES))
    if (groupKindOf(this.#env.features)) this.#objects.followGroups(this.#pods)
    const eventKinds = await servedEventKinds(this.#env, isUsed, this.#signal)
    const others = [...READ_KINDS, ...eventKinds.map(([kind]) => kind)].map(kind => this.#objects.follow(kind))
    if (!(await untilSynced([nodes, this.#pods, ...others], this.#signal))) return
    await nodes.prepareStored(keepAllocatable)
    nodes.on({
      prepare: keepAllocatable,
      added: node => this.#reactions.toNode(this.#state.setNode(node), node, undefined),
      updated: (node, old) => this.#reactions.toNode(this.#state.setNode(node), node, old),
      deleted: node => this.#reactions.to(this.#state.deleteNode(node)),
    })
    for (const [kind, event] of eventKinds)
      this.#references.follow(this.#objects.follow(kind), event, (change, concerned) => this.#reactToObject(change, concerned))
    await this.#pods.prepareStored(pod => this.#infos.prepare(pod))
    this.#pods.on({
      prepare: pod => this.#infos.prepare(pod),
      added: pod => this.#observe(pod, undefined),
      updated: (pod, old) => this.#observe(pod, old),
      deleted: pod => this.#forget(pod),
    })
    await untilAborted(this.#signal)
    await Promise.allSettled([this.#binder.stop(), this.#writes.ended()])
    for (const extender of this.#extenders) extender.close()
  }

  #evictions(): EvictionParts {
    return { env: this.#env, recorder: this.#recorder, nominated: this.#nominated, takeBack: pod => this.#binder.preempt(pod) }
  }

  #newGroupCycle(metrics: SchedulerMetrics): GroupCycle {
    const { features } = this.#env
    const evictions = this.#evictions()
    const conditions = new GroupConditions({
      env: this.#env,
      groups: this.#objects.trees,
      wrote: (object, isComposite) => this.#objects.wroteGroup(object, isComposite),
      write: (key, write) => this.#write(key, write),
    })
    return new GroupCycle({
      release: features.release,
      preemptsForGroups: isSince(features.release, '1.37') || features.enabled('WorkloadAwarePreemption'),
      hasPolicy: features.enabled('PodGroupPreemptionPolicy'),
      limitsTopology: features.enabled('TopologyAwareWorkloadScheduling'),
      state: this.#state,
      infos: this.#infos,
      pending: this.#pending,
      finder: this.#finder,
      postFilters: this.#postFilters,
      nominated: this.#nominated,
      binder: this.#binder,
      groups: this.#groups,
      context: this.#bindingContext,
      random: this.#random,
      fail: (queued, plugins, failure) => this.#fail(queued, plugins, failure),
      endNomination: (pod, boundTo) => this.#endNomination(pod, boundTo),
      gate: pod => this.#gate(pod),
      evict: (root, pods, victims) => evictForGroup(evictions, root, pods, victims),
      metrics,
      report: (group, outcome) => conditions.report(group, outcome),
    })
  }

  /** Tries pods again that a change of another object may help. Those of a claim may enter the queue. */
  #reactToObject(event: ClusterEvent, concerned: readonly Pod[] | undefined): void {
    if (concerned) this.#pending.reactFor(event, concerned)
    else this.#pending.react(event)
    for (const pod of concerned ?? []) if (this.#gated.has(pod.metadata.uid ?? '')) this.#enqueue(pod, undefined)
    this.#work.add(PENDING)
  }

  #observe(pod: Pod, old: Pod | undefined): void {
    if (isPodTerminal(pod)) this.#forget(pod)
    else if (pod.spec.nodeName) {
      this.#dequeue(pod)
      // Another client may have bound the pod while its own binding was prepared.
      this.#binder.cancel(pod)
      this.#endNomination(pod, pod.spec.nodeName)
      const info = this.#infos.of(pod)
      for (const event of this.#state.setPod(info)) this.#reactions.toPod(event, info)
    } else this.#enqueue(pod, old)
    if (old === undefined) this.#grow(pod)
  }

  /** Remembers that a new pod may help the others of its groups. A pod that waits for them does not. */
  #grow(pod: Pod): void {
    const waits = this.#gated.has(pod.metadata.uid ?? '') && !pod.spec.schedulingGates?.length
    if (!waits && this.#grown.add(pod)) this.#work.add(PENDING)
  }

  /** Tries the pods of groups that have new ones. Either all pods of a tree may enter the queue, or none. */
  async #openGroups(): Promise<void> {
    for (let members = this.#grown.take(); members !== undefined; members = this.#grown.take()) {
      let isOpen = true
      for (const pod of members) {
        if (turnIsSpent()) await nextTurn()
        const { uid = '' } = pod.metadata
        this.#pending.reactFor('pod of group', [pod])
        if (!isOpen || !this.#gated.has(uid) || pod.spec.schedulingGates?.length) continue
        this.#enqueue(pod, undefined)
        isOpen = !this.#gated.has(uid)
      }
    }
  }

  /** Keeps a pod out of the queue until a change lets it in. */
  #gate(pod: Pod): void {
    this.#gated.add(pod.metadata.uid ?? '')
    this.#pending.delete(pod)
  }

  /** Takes a pod from the queue, and from those that may not enter it yet. */
  #dequeue(pod: Pod): void {
    this.#gated.delete(pod.metadata.uid ?? '')
    this.#pending.delete(pod)
  }

  #enqueue(pod: Pod, old: Pod | undefined): void {
    const profile = this.#profiles.get(schedulerName(pod))
    if (profile === undefined || (isPodTerminating(pod) && (groupOf(pod) || this.#pending.isTaken(pod)))) {
      this.#dequeue(pod)
      return
    }
    if (profile.plugins.some(({ plugin }) => plugin.preEnqueue?.(pod, this.#objects) !== undefined)) {
      this.#gate(pod)
      return
    }
    this.#gated.delete(pod.metadata.uid ?? '')
    const { nominatedNodeName } = pod.status
    if (this.#state.isAssigned(pod)) this.#endNomination(pod)
    else if (nominatedNodeName) this.#nominated.set(this.#infos.of(pod), nominatedNodeName)
    // A nomination that is not written yet goes on to count.
    else if (old?.status.nominatedNodeName) this.#endNomination(pod)
    this.#pending.put(pod, old !== undefined && !isSameToPlugins(pod, old))
    this.#work.add(PENDING)
  }

  #forget(pod: Pod): void {
    const info = this.#infos.known(pod)
    this.#infos.forget(pod)
    this.#binder.cancel(pod)
    this.#dequeue(pod)
    this.#endNomination(pod)
    if (this.#state.deletePod(pod) && info) this.#reactions.toPod('assigned pod deleted', info)
  }

  /**
   * Ends the nomination of a pod. Other pods can use the room that was reserved for it, unless it is bound to the node.
   */
  #endNomination(pod: Pod, boundTo?: string): void {
    const node = this.#nominated.delete(pod)
    if (node !== undefined && node !== boundTo) this.#reactions.to(['assigned pod deleted'])
  }

  async #scheduleAll(): Promise<void> {
    while (!this.#signal.aborted) {
      await this.#openGroups()
      const queued = this.#pending.take()
      if (queued === undefined) break
      await this.#schedule(queued)
      // The end of a write adds the key again.
      if (this.#writes.size >= MOST_WRITES) return
      if (turnIsSpent()) await nextTurn()
    }
    const wait = this.#pending.untilNext()
    if (wait !== undefined) this.#work.addAfter(PENDING, wait)
  }

  async #schedule(queued: QueuedPod): Promise<void> {
    const { pod } = queued
    const profile = this.#profiles.get(schedulerName(pod))
    if (profile === undefined) return
    try {
      // If its binding is written, an older state of the pod was observed after that.
      if (this.#state.isAssigned(pod)) this.#pending.delete(pod)
      else if (isPodTerminating(pod)) {
        this.#pending.delete(pod)
        this.#reports.skipped(pod)
      } else if (this.#groupCycle && groupOf(pod)) await this.#groupCycle.run(queued, profile, this.#objects)
      else await this.#runCycle(queued, profile)
    } catch (error) {
      this.#state.forgetAssumed(pod)
      this.#fail(queued, new Set(), { reason: 'SchedulerError', message: errorMessage(error), nominatedNode: '' })
    }
  }

  async #runCycle(queued: QueuedPod, profile: Profile): Promise<void> {
    const info = this.#infos.of(queued.pod)
    const snapshot = this.#state.snapshot()
    const found = await this.#finder.find(info, snapshot, profile)
    // The pod may be gone after several turns.
    if (!this.#pending.isPending(queued)) return
    if ('node' in found) this.#assign(queued, info, found, profile)
    else {
      const failure = await this.#postFilters.help(info, snapshot, found, profile, () => this.#pending.isPending(queued))
      this.#fail(queued, found.infeasible.plugins, failure)
    }
  }

  /** Reserves the node, and binds the pod in the background. It counts for the node already. */
  #assign(queued: QueuedPod, info: PodInfo, { node, feasible }: ChosenNode, { plugins }: Profile): void {
    this.#state.assume(info, node.name)
    this.#endNomination(queued.pod, node.name)
    const permits = plugins.flatMap(({ plugin }) => {
      const permit = plugin.permit?.(queued.pod, this.#objects, this.#groups)
      return permit ? [{ plugin: plugin.name, permit }] : []
    })
    this.#binder.bind(queued, info, node, feasible.reserves, permits)
  }

  /** Writes in the background, and goes on with pods that wait for the end of a write. `write` never rejects. */
  #write(key: string, write: () => Promise<void>): void {
    this.#writes.run(key, () => write().finally(() => this.#work.add(PENDING)))
  }

  /**
   * Returns a pod to the queue, and reports why. Does nothing if the pod was bound or deleted meanwhile. @param plugins
   * those that have rejected it
   */
  #fail(queued: QueuedPod, plugins: ReadonlySet<string>, failure: AttemptFailure): void {
    if (!this.#pending.fail(queued, plugins)) return
    const write = this.#reports.failed(queued, failure)
    if (write) this.#write(objectKey(queued.pod), write)
  }
}
