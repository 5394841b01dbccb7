import type { Node, Pod } from '../../api/core/v1.types.ts'
import { objectKey } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { untilAborted } from '../../lib/on-abort.ts'
import { seededRandom } from '../../lib/seeded-random.ts'
import { type Steps, startInTurns } from '../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, untilSynced } from '../shared/environment.ts'
import type { Informer } from '../shared/informer.ts'
import { NODES, PODS } from '../shared/kinds.ts'
import { isPodTerminal } from '../shared/pods.ts'
import { SeriesRecorder } from '../shared/series-recorder.ts'
import { deviceKindsIfServed } from '../shared/served-device-kinds.ts'
import { TaskQueue } from '../shared/task-queue.ts'
import type { KeyQueue } from '../shared/work-queue.ts'
import { type AttemptFailure, AttemptReports, schedulerName } from './attempt-reports.ts'
import { Binder } from './binder.ts'
import { ChangeWaiters } from './change-waiters.ts'
import { chooseNode } from './choose-node.ts'
import { ClusterState } from './cluster-state.ts'
import { schedulerSettings } from './configuration/settings.ts'
import { DEFAULT_SCHEDULER } from './default-profile.ts'
import { evictVictims } from './evictions.ts'
import { type Extender, findByExtenders, scoreByExtenders } from './extenders/extender.ts'
import { failureText } from './failure-text.ts'
import { type ActiveReserve, filterNodes, NONE_NOMINATED, type Unfeasible } from './find-node.ts'
import type { BindingContext, Plugin } from './framework.ts'
import { NodeInfo } from './node-info.ts'
import { NominatedPodsByNode } from './nominated-pods.ts'
import { PodReferences } from './object-events.ts'
import { deviceEventKinds, EVENT_KINDS, FollowedObjects, READ_KINDS } from './object-kinds.ts'
import { DYNAMIC_RESOURCES } from './plugins/dynamic-resources.ts'
import type { PodInfo } from './pod-info.ts'
import { isSameToPlugins, PodInfos } from './pod-infos.ts'
import { type Preemption, type PreemptionCandidate, preempt } from './preemption.ts'
import type { Profile } from './profile.ts'
import { type ClusterEvent, type QueuedPod, SchedulingQueue } from './queue.ts'
import { SchedulerMetrics } from './scheduler-metrics.ts'
import { ShapeCache } from './shape-results.ts'
import type { Snapshot } from './snapshot.ts'

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
  readonly #shapes = new ShapeCache()
  readonly #work: KeyQueue
  readonly #recorder: SeriesRecorder
  readonly #reports: AttemptReports
  /** Bindings and evictions that are being written. */
  readonly #writes: TaskQueue
  readonly #bindingContext: BindingContext
  readonly #binder: Binder
  readonly #random: () => number
  readonly #metrics: SchedulerMetrics
  /** Uids of pods that may not enter the queue yet. */
  readonly #gated = new Set<string>()
  /** Index of the node that the next cycle checks first. */
  #next = 0

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
    this.#metrics = schedulerMetrics
    schedulerMetrics.follow({ pending: () => ({ ...this.#pending.lengths, gated: this.#gated.size }), cache: () => this.#state.sizes })
    this.#random = seededRandom(Math.floor(random.number() * 2 ** 32))
    this.#infos = new PodInfos({ podLevel: features.enabled('PodLevelResources'), inPlace: features.enabled('InPlacePodVerticalScaling') })
    this.#pods = informers.of(PODS)
    this.#references = new PodReferences(this.#pods)
    this.#objects = new FollowedObjects(informers, clock)
    this.#state = new ClusterState(this.#objects)
    this.#pending = new SchedulingQueue(clock, settings.backOff, {
      entered: (event, queue) => void schedulerMetrics.incoming.child(event, queue).value++,
      rejected: (pod, plugins, change) => this.#reports.countRejections(pod, plugins, change),
    })
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
    this.#binder = new Binder({
      context: this.#bindingContext,
      extenders: settings.extenders,
      logger,
      state: this.#state,
      pending: this.#pending,
      reports: this.#reports,
      write: (pod, write) => this.#write(pod, write),
      takenBack: (queued, plugins, failure) => {
        this.#fail(queued, plugins, failure)
        this.#react(['assigned pod deleted', 'device claim'])
      },
    })
    this.#writes = new TaskQueue(env, 'scheduler_writes', signal, MOST_WRITES)
    this.#work = queueOf(env, 'scheduler', signal, { workers: 1, work: () => this.#scheduleAll() })
  }

  async run(): Promise<void> {
    const { informers } = this.#env
    const nodes = informers.of(NODES)
    const isUsed = [...this.#profiles.values()].some(({ plugins }) => plugins.some(({ plugin }) => plugin.name === DYNAMIC_RESOURCES))
    const devices = isUsed ? await deviceKindsIfServed(this.#env) : undefined
    const eventKinds = [...EVENT_KINDS, ...(devices ? deviceEventKinds(devices) : [])]
    const others = [...READ_KINDS, ...eventKinds.map(([kind]) => kind)].map(kind => this.#objects.follow(kind))
    if (!(await untilSynced([nodes, this.#pods, ...others], this.#signal))) return
    nodes.on({
      added: node => this.#reactToNode(this.#state.setNode(node), node, undefined),
      updated: (node, old) => this.#reactToNode(this.#state.setNode(node), node, old),
      deleted: node => this.#state.deleteNode(node),
    })
    for (const [kind, event] of eventKinds)
      this.#references.follow(this.#objects.follow(kind), event, (change, concerned) => this.#reactToObject(change, concerned))
    this.#pods.on({
      added: pod => this.#observe(pod, undefined),
      updated: (pod, old) => this.#observe(pod, old),
      deleted: pod => this.#forget(pod),
    })
    await untilAborted(this.#signal)
    await Promise.allSettled([this.#binder.stop(), this.#writes.ended()])
    for (const extender of this.#extenders) extender.close()
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
      this.#pending.delete(pod)
      this.#endNomination(pod, pod.spec.nodeName)
      const info = this.#infos.of(pod)
      for (const event of this.#state.setPod(info)) this.#reactToPod(event, info)
    } else this.#enqueue(pod, old)
  }

  #enqueue(pod: Pod, old: Pod | undefined): void {
    const profile = this.#profiles.get(schedulerName(pod))
    if (profile === undefined || pod.metadata.deletionTimestamp !== undefined) {
      this.#pending.delete(pod)
      return
    }
    if (profile.plugins.some(({ plugin }) => plugin.preEnqueue?.(pod, this.#objects) !== undefined))
      return void this.#gated.add(pod.metadata.uid ?? '')
    this.#gated.delete(pod.metadata.uid ?? '')
    const { nominatedNodeName } = pod.status
    if (nominatedNodeName) this.#nominated.set(this.#infos.of(pod), nominatedNodeName)
    // A nomination that is not written yet goes on to count.
    else if (old?.status.nominatedNodeName) this.#endNomination(pod)
    this.#pending.put(pod, old !== undefined && !isSameToPlugins(pod, old))
    this.#work.add(PENDING)
  }

  #forget(pod: Pod): void {
    const info = this.#infos.of(pod)
    this.#infos.forget(pod)
    this.#binder.cancel(pod)
    this.#gated.delete(pod.metadata.uid ?? '')
    this.#pending.delete(pod)
    this.#endNomination(pod)
    if (this.#state.deletePod(pod)) this.#reactToPod('assigned pod deleted', info)
  }

  /**
   * Ends the nomination of a pod. Other pods can use the room that was reserved for it, unless it is bound to the node.
   */
  #endNomination(pod: Pod, boundTo?: string): void {
    const node = this.#nominated.delete(pod)
    if (node !== undefined && node !== boundTo) this.#react(['assigned pod deleted'])
  }

  /** Tries pods again that a change of an assigned pod may help. */
  #reactToPod(event: ClusterEvent, other: PodInfo): void {
    if (event === 'assigned pod added' || event === 'assigned pod deleted')
      this.#pending.react(event, (pod, plugin) => this.#pluginOf(pod, plugin)?.isHelpedByPod?.(this.#infos.of(pod), event, other) ?? true)
    else this.#pending.react(event)
    this.#work.add(PENDING)
  }

  /** Tries pods again that a new or changed node may help. */
  #reactToNode(events: readonly ClusterEvent[], node: Node, old: Node | undefined): void {
    if (events.length === 0) return
    const [now, before] = [NodeInfo.of(node), old && NodeInfo.of(old)]
    for (const event of events)
      this.#pending.react(
        event,
        (pod, plugin) => this.#pluginOf(pod, plugin)?.isHelpedByNode?.(this.#infos.of(pod), now, before, this.#objects) ?? true,
      )
    this.#work.add(PENDING)
  }

  #pluginOf(pod: Pod, name: string): Plugin | undefined {
    return this.#profiles.get(schedulerName(pod))?.plugins.find(({ plugin }) => plugin.name === name)?.plugin
  }

  #react(events: readonly ClusterEvent[]): void {
    for (const event of events) this.#pending.react(event)
    this.#work.add(PENDING)
  }

  async #scheduleAll(): Promise<void> {
    for (let queued = this.#pending.take(); queued !== undefined && !this.#signal.aborted; queued = this.#pending.take()) {
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
      else await this.#runCycle(queued, profile)
    } catch (error) {
      this.#state.forgetAssumed(pod)
      this.#fail(queued, new Set(), { reason: 'SchedulerError', message: errorMessage(error) })
    }
  }

  async #runCycle(queued: QueuedPod, profile: Profile): Promise<void> {
    const info = this.#infos.of(queued.pod)
    const snapshot = this.#state.snapshot()
    const nominated = this.#nominated.size > 0 ? (name: string) => this.#nominated.on(name) : NONE_NOMINATED
    const begun = performance.now()
    const calls = { signal: this.#signal, logger: this.#env.logger }
    const filtered = await findByExtenders(queued.pod, this.#extenders, calls, preferred =>
      startInTurns(filterNodes(info, snapshot, profile, { from: this.#next, nominated, preferred, shapes: this.#shapes })),
    )
    const extra =
      this.#extenders.length > 0 && 'feasible' in filtered
        ? await scoreByExtenders(queued.pod, filtered.feasible.nodes, this.#extenders, calls)
        : undefined
    // The pod may be gone after several turns.
    if (!this.#pending.isPending(queued)) return
    if ('feasible' in filtered) {
      this.#next = filtered.feasible.next
      const node = chooseNode(info, snapshot, profile, filtered.feasible, { random: this.#random, extra })
      this.#metrics.algorithmSeconds.child().observe((performance.now() - begun) / 1000)
      if (node) this.#assign(queued, info, node, filtered.feasible.reserves)
    } else await startInTurns(this.#reject(queued, info, snapshot, filtered, profile))
  }

  /** Reserves the node, and binds the pod in the background. It counts for the node already. */
  #assign(queued: QueuedPod, info: PodInfo, node: NodeInfo, reserves: readonly ActiveReserve[]): void {
    this.#state.assume(info, node.name)
    this.#endNomination(queued.pod, node.name)
    this.#binder.bind(queued, info, node, reserves)
  }

  *#reject(queued: QueuedPod, info: PodInfo, snapshot: Snapshot, filtered: Unfeasible, { preemption: args }: Profile): Steps<void> {
    const changes = filtered.postFilters.map(postFilter => postFilter())
    for (const { write } of changes) if (write) this.#write(queued.pod, () => this.#tryWrite(queued.pod, write))
    const nominated = (name: string) => this.#nominated.on(name)
    const { infeasible } = filtered
    if (args) this.#metrics.preemptionAttempts.child().value++
    const preemption: Preemption = args
      ? yield* preempt({ pod: info, snapshot, ...filtered, nominated, args, random: this.#random })
      : { message: '', isHopeless: false }
    if (!this.#pending.isPending(queued)) return
    if ('candidate' in preemption) {
      const { candidate } = preemption
      this.#metrics.preemptionVictims.child().observe(candidate.victims.length)
      this.#nominated.set(info, candidate.node.name)
      this.#preempt(info.pod, candidate)
      this.#fail(queued, infeasible.plugins, {
        reason: 'Unschedulable',
        message: failureText(infeasible),
        nominatedNode: candidate.node.name,
      })
    } else {
      const isVoid = preemption.isHopeless && info.pod.status.nominatedNodeName !== undefined
      if (isVoid) this.#endNomination(info.pod)
      const messages = [...changes.map(({ message: each }) => each), preemption.message].filter(each => each !== '')
      const message = failureText(infeasible, infeasible.nodeCount > 0 ? messages.join(', ') : '')
      this.#fail(queued, infeasible.plugins, { reason: 'Unschedulable', message, nominatedNode: isVoid ? '' : undefined })
    }
  }

  /** Changes what keeps a pod from being scheduled. The pod is tried again when the change is observed. */
  async #tryWrite(pod: Pod, write: (context: BindingContext) => Promise<void>): Promise<void> {
    try {
      await write(this.#bindingContext)
    } catch (error) {
      this.#env.logger.warn('a claim of an unschedulable pod was not released', { pod: objectKey(pod), error: errorMessage(error) })
    }
  }

  /** Deletes victims in the background. The pod is not tried again before that is done. */
  #preempt(pod: Pod, candidate: PreemptionCandidate): void {
    this.#pending.hold(pod)
    const parts = { env: this.#env, recorder: this.#recorder, nominated: this.#nominated }
    this.#write(pod, () =>
      evictVictims(parts, pod, candidate).then(
        () => {
          this.#metrics.preemptions.child('success').value++
          this.#pending.release(pod, false)
        },
        error => {
          this.#metrics.preemptions.child('error').value++
          this.#env.logger.warn('a preemption was not carried out', { pod: objectKey(pod), error: errorMessage(error) })
          this.#pending.release(pod, true)
        },
      ),
    )
  }

  /** Writes in the background, and goes on with pods that wait for the end of a write. `write` never rejects. */
  #write(pod: Pod, write: () => Promise<void>): void {
    this.#writes.run(objectKey(pod), () => write().finally(() => this.#work.add(PENDING)))
  }

  /** Returns a pod to the queue, and reports why. @param plugins those that have rejected it */
  #fail(queued: QueuedPod, plugins: ReadonlySet<string>, failure: AttemptFailure): void {
    this.#pending.fail(queued, plugins)
    const write = this.#reports.failed(queued, failure)
    if (write) this.#write(queued.pod, write)
  }
}
