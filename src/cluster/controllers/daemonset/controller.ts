import type { ControllerRevision, DaemonSet, DaemonSetStatus } from '../../../api/apps/v1.types.ts'
import type { Node, Pod } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { matchesLabels } from '../../../meta/label-selector.ts'
import { isStatusError } from '../../../meta/status.ts'
import { claimObjects } from '../../shared/adoption.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder, EventText } from '../../shared/event-recorder.ts'
import { Expectations } from '../../shared/expectations.ts'
import { inBatches } from '../../shared/in-batches.ts'
import type { Informer } from '../../shared/informer.ts'
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from '../../shared/kinds.ts'
import { followOwned } from '../../shared/owned-objects.ts'
import { followOwnedPods } from '../../shared/owned-pods.ts'
import { isNamespaceTerminating, PodControl } from '../../shared/pod-control.ts'
import { untilAvailable } from '../../shared/pods.ts'
import { deleteRevisions } from '../../shared/revision-history.ts'
import { selectorOf } from '../../shared/selectors.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { failedPodEvent, selectsAllEvent, succeededPodEvent } from './events.ts'
import { FailureBackoff } from './failure-backoff.ts'
import { hashOf, historyOf, surplusHistory } from './history.ts'
import { nodeFitOf, type Placement } from './node-fit.ts'
import { type Changes, changesOnNode, type PodRules, podsByTarget, podsWithoutNode } from './placement.ts'
import { affinityToNode, daemonPodTemplate, templateGeneration } from './pod.ts'
import { isSurging, rolloutStep } from './rollout.ts'
import { isSameDaemonStatus, statusOf } from './status.ts'

const WORKERS = 2
/** Largest number of pods that one step creates, and that it deletes, as upstream's BurstReplicas. */
const BURST = 250

/** Keeps a pod of each DaemonSet on each node that fits. A key is a set. */
export const daemonSetController: ClusterPart = (env, signal) => new DaemonSetController(env, signal).run()

class DaemonSetController {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #sets: Informer<DaemonSet>
  readonly #pods: Informer<Pod>
  readonly #nodes: Informer<Node>
  readonly #revisions: Informer<ControllerRevision>
  readonly #events: EventRecorder
  readonly #control: PodControl
  readonly #expectations: Expectations
  readonly #failures = new FailureBackoff()
  readonly #queue: KeyQueue

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    const { informers } = env
    this.#env = env
    this.#signal = signal
    this.#sets = informers.of(DAEMON_SETS)
    this.#pods = informers.of(PODS)
    this.#nodes = informers.of(NODES)
    this.#revisions = informers.of(CONTROLLER_REVISIONS)
    this.#events = recorderOf(env, 'daemonset-controller', signal)
    this.#control = new PodControl(env.client, this.#events)
    this.#expectations = new Expectations(env.clock)
    this.#queue = queueOf(env, 'daemonset', signal, { workers: WORKERS, work: key => this.#sync(key) })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#sets, this.#pods, this.#nodes, this.#revisions], this.#signal))) return
    const enqueue = (key: string): void => this.#queue.add(key)
    this.#sets.on({
      added: set => enqueue(objectKey(set)),
      updated: set => enqueue(objectKey(set)),
      deleted: set => {
        this.#expectations.forget(objectKey(set))
        enqueue(objectKey(set))
      },
    })
    followOwned({
      objects: this.#revisions,
      owners: this.#sets,
      kind: DAEMON_SETS,
      matches: (set, revision) => matchesLabels(selectorOf(set.spec.selector), revision.metadata.labels),
      enqueue,
    })
    followOwnedPods({
      pods: this.#pods,
      owners: this.#sets,
      kind: DAEMON_SETS,
      matches: (set, pod) => matchesLabels(selectorOf(set.spec.selector), pod.metadata.labels),
      created: key => this.#expectations.creationObserved(key),
      deleted: (key, pod) => this.#expectations.deletionObserved(key, objectKey(pod)),
      enqueue,
    })
    this.#nodes.on({
      added: node => this.#nodeChanged(undefined, node),
      updated: (node, old) => this.#nodeChanged(old, node),
      deleted: node => this.#nodeChanged(node, undefined),
    })
    await untilAborted(this.#signal)
  }

  /** Enqueues the sets for which a change of a node makes a difference. */
  #nodeChanged(old: Node | undefined, node: Node | undefined): void {
    if (old && node && deepEqual(old.metadata.labels ?? {}, node.metadata.labels ?? {}) && deepEqual(old.spec.taints, node.spec.taints))
      return
    for (const set of this.#sets.store.list()) {
      const fitOf = nodeFitOf(set)
      if (!deepEqual(old && fitOf(old), node && fitOf(node))) this.#queue.add(objectKey(set))
    }
  }

  async #sync(key: string): Promise<void> {
    const set = this.#sets.store.get(key)
    if (!set) return this.#expectations.forget(key)
    const { selector } = set.spec
    if (Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0)
      return this.#record(set, selectsAllEvent)
    // The history of a set that is being deleted may be gone already: its status cannot be computed.
    if (set.metadata.deletionTimestamp !== undefined) return
    // Must come before the pods are listed. A created pod that is seen in between would not be in the list, and the set
    // would create it again.
    const mayChange = this.#expectations.areSatisfied(key)
    const pods = await this.#claimPods(set)
    const { current, old } = await historyOf(this.#env, set, await this.#claimRevisions(set), pods)
    const rules: PodRules = {
      hash: hashOf(current),
      generation: templateGeneration(set.metadata),
      minReadySeconds: set.spec.minReadySeconds ?? 0,
      now: this.#env.clock.now(),
      isSurging: isSurging(set),
    }
    let failure: unknown
    if (mayChange)
      try {
        await this.#change(key, set, pods, rules)
        await deleteRevisions(this.#env.client, surplusHistory(set, old, pods))
      } catch (error) {
        failure = error
      }
    const present = this.#ownPods(set)
    await this.#writeStatus(set, statusOf(set, this.#placement(set, present), rules, mayChange))
    this.#checkAgain(key, set, present)
    if (failure !== undefined) throw failure
  }

  #claimPods(set: DaemonSet): Promise<Pod[]> {
    const { uid = '', namespace = '' } = set.metadata
    const candidates = [...this.#pods.store.controlledBy(uid), ...this.#pods.store.orphansIn(namespace)]
    const selector = selectorOf(set.spec.selector)
    return claimObjects(candidates, { client: this.#env.client, controllerKind: DAEMON_SETS, controller: set, kind: PODS, selector })
  }

  #claimRevisions(set: DaemonSet): Promise<ControllerRevision[]> {
    const { uid = '', namespace = '' } = set.metadata
    const candidates = [...this.#revisions.store.controlledBy(uid), ...this.#revisions.store.orphansIn(namespace)]
    const selector = selectorOf(set.spec.selector)
    return claimObjects(candidates, {
      client: this.#env.client,
      controllerKind: DAEMON_SETS,
      controller: set,
      kind: CONTROLLER_REVISIONS,
      selector,
    })
  }

  /** Pods of the set as they are known now, without claiming others. */
  #ownPods({ metadata: { uid = '' }, spec: { selector } }: DaemonSet): Pod[] {
    const requirements = selectorOf(selector)
    return this.#pods.store.controlledBy(uid).filter(({ metadata }) => matchesLabels(requirements, metadata.labels))
  }

  #placement(set: DaemonSet, pods: readonly Pod[]): Placement {
    const fitOf = nodeFitOf(set)
    return {
      nodes: new Map(Array.from(this.#nodes.store.list(), node => [node.metadata.name ?? '', fitOf(node)])),
      pods: podsByTarget(pods),
    }
  }

  /**
   * Brings pods to the nodes that lack them, and then takes a step of the update, if the first step has changed
   * nothing.
   */
  async #change(key: string, set: DaemonSet, pods: readonly Pod[], rules: PodRules): Promise<void> {
    const placement = this.#placement(set, pods)
    await this.#write(key, set, this.#placementChanges(key, set, placement, rules), rules)
    if (set.spec.updateStrategy.type === 'RollingUpdate' && this.#expectations.areSatisfied(key))
      await this.#write(key, set, rolloutStep(set, placement, rules), rules)
  }

  #placementChanges(key: string, set: DaemonSet, placement: Placement, rules: PodRules): Changes {
    const nodes: string[] = []
    const victims: Pod[] = []
    for (const [node, fit] of placement.nodes) {
      const changes = changesOnNode(fit, placement.pods.get(node), rules)
      if (changes.creates) nodes.push(node)
      for (const pod of changes.failed) if (this.#mayDeleteFailed(key, set, node, pod, rules.now)) victims.push(pod)
      for (const pod of changes.succeeded) {
        this.#record(set, succeededPodEvent(pod, node))
        victims.push(pod)
      }
      victims.push(...changes.victims)
    }
    victims.push(...podsWithoutNode(placement))
    return { nodes, victims }
  }

  /** Whether a failed pod may be deleted now. If not, the set is looked at again when it may. */
  #mayDeleteFailed(key: string, set: DaemonSet, node: string, pod: Pod, now: number): boolean {
    const of = `${set.metadata.uid}/${set.status.observedGeneration ?? 0}/${node}`
    const left = this.#failures.left(of, now)
    if (left > 0) {
      this.#queue.addAfter(key, left)
      return false
    }
    this.#failures.next(of, now)
    this.#record(set, failedPodEvent(pod, node))
    return true
  }

  #record(set: DaemonSet, { type, reason, message }: EventText): void {
    this.#events.record(DAEMON_SETS, set, type, reason, message)
  }

  /** Creates and deletes pods. Rejects with the first error. */
  async #write(key: string, set: DaemonSet, changes: Changes, { hash }: PodRules): Promise<void> {
    const nodes = changes.nodes.slice(0, BURST)
    const victims = changes.victims.slice(0, BURST)
    this.#expectations.expect(key, nodes.length, victims.map(objectKey))
    const failures = [await this.#createOn(key, set, nodes, hash), await this.#delete(key, set, victims)]
    const failure = failures.find(error => error !== undefined)
    if (failure !== undefined) throw failure
  }

  async #createOn(key: string, set: DaemonSet, nodes: readonly string[], hash: string): Promise<unknown> {
    const template = await startInTurns(daemonPodTemplate(set, hash))
    const left = [...nodes]
    const { successes, error } = await inBatches(nodes.length, async () => {
      const node = left.shift() ?? ''
      const pin = (pod: Pod): void => {
        pod.spec.affinity = affinityToNode(pod.spec.affinity, node)
      }
      await this.#control.create(DAEMON_SETS, set, template, pin).catch((failure: unknown) => {
        // No pod can be created in the namespace, and none is needed.
        if (!isNamespaceTerminating(failure)) throw failure
        this.#expectations.creationObserved(key)
      })
    })
    for (let skipped = nodes.length - successes; skipped > 0; skipped--) this.#expectations.creationObserved(key)
    return error
  }

  async #delete(key: string, set: DaemonSet, victims: readonly Pod[]): Promise<unknown> {
    const errors: unknown[] = []
    await Promise.all(
      victims.map(pod =>
        this.#control.delete(DAEMON_SETS, set, pod).catch((error: unknown) => {
          this.#expectations.deletionObserved(key, objectKey(pod))
          if (!isStatusError(error, 'NotFound')) errors.push(error)
        }),
      ),
    )
    return errors[0]
  }

  /**
   * Writes the status if it has changed. Reads the set again once if the write fails: only this controller writes the
   * status.
   */
  async #writeStatus(set: DaemonSet, status: DaemonSetStatus): Promise<void> {
    if (isSameDaemonStatus(set.status, status)) return
    const { namespace = '', name = '' } = set.metadata
    for (let current = set, retried = false; ; retried = true) {
      try {
        await this.#env.client.update(DAEMON_SETS, { ...current, status: { ...status, ...collisionsOf(current) } }, 'status')
        return
      } catch (error) {
        if (retried || isStatusError(error, 'NotFound')) throw error
      }
      current = await this.#env.client.get(DAEMON_SETS, namespace, name)
    }
  }

  /** Looks at the set again when the next ready pod becomes available. */
  #checkAgain(key: string, { spec: { minReadySeconds = 0 } }: DaemonSet, pods: readonly Pod[]): void {
    if (minReadySeconds === 0) return
    const now = this.#env.clock.now()
    const waits = pods.flatMap(pod => untilAvailable(pod, minReadySeconds, now) ?? [])
    if (waits.length > 0) this.#queue.addAfter(key, Math.min(...waits))
  }
}

/** Collisions that were counted meanwhile. */
const collisionsOf = ({ status: { collisionCount } }: DaemonSet): Pick<DaemonSetStatus, 'collisionCount'> =>
  collisionCount === undefined ? {} : { collisionCount }
