import type { ReplicaSet } from '../../../api/apps/v1.types.ts'
import type { Pod, ReplicationController } from '../../../api/core/v1.types.ts'
import { objectKey, type ResourceKind } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { startInTurns } from '../../../lib/steps.ts'
import type { LabelRequirement } from '../../../meta/label-requirement.ts'
import { matchesLabels } from '../../../meta/label-selector.ts'
import { isStatusError } from '../../../meta/status.ts'
import { claimObjects } from '../../shared/adoption.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import { Expectations } from '../../shared/expectations.ts'
import { inBatches } from '../../shared/in-batches.ts'
import type { Informer } from '../../shared/informer.ts'
import { PODS, REPLICA_SETS, REPLICATION_CONTROLLERS } from '../../shared/kinds.ts'
import { followOwnedPods } from '../../shared/owned-pods.ts'
import { controllerOf } from '../../shared/owner.ts'
import { isNamespaceTerminating, PodControl } from '../../shared/pod-control.ts'
import { isPodActive, isPodTerminal, isPodTerminating, untilAvailable } from '../../shared/pods.ts'
import { recountPause } from '../../shared/recount-pause.ts'
import { selectorOf, selectorOfMap } from '../../shared/selectors.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { countPods, isSameStatus, statusOf } from './status.ts'
import { victimsOf } from './victims.ts'

const WORKERS = 5
/** Largest number of pods that one pass creates or deletes, as upstream's BurstReplicas. */
const BURST = 500

/** A kind that keeps a number of equal pods. */
interface ReplicaKind<T extends ReplicaSet | ReplicationController> {
  readonly kind: ResourceKind<T>
  /** Name in events. */
  readonly component: string
  readonly queue: string
  selectorOf(set: T): readonly LabelRequirement[]
}

const replicaSets: ReplicaKind<ReplicaSet> = {
  kind: REPLICA_SETS,
  component: 'replicaset-controller',
  queue: 'replicaset',
  selectorOf: ({ spec }) => selectorOf(spec.selector),
}

const replicationControllers: ReplicaKind<ReplicationController> = {
  kind: REPLICATION_CONTROLLERS,
  component: 'replication-controller',
  queue: 'replicationmanager',
  selectorOf: ({ spec }) => selectorOfMap(spec.selector),
}

/** Keeps the number of pods of ReplicaSets. A key is a set. */
export const replicaSetController: ClusterPart = (env, signal) => new ReplicaController(replicaSets, env, signal).run()

/** Keeps the number of pods of ReplicationControllers. A key is a ReplicationController. */
export const replicationController: ClusterPart = (env, signal) => new ReplicaController(replicationControllers, env, signal).run()

class ReplicaController<T extends ReplicaSet | ReplicationController> {
  readonly #of: ReplicaKind<T>
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #sets: Informer<T>
  readonly #pods: Informer<Pod>
  readonly #expectations: Expectations
  readonly #control: PodControl
  readonly #queue: KeyQueue

  constructor(of: ReplicaKind<T>, env: ClusterEnvironment, signal: AbortSignal) {
    this.#of = of
    this.#env = env
    this.#signal = signal
    this.#sets = env.informers.of(of.kind)
    this.#pods = env.informers.of(PODS)
    this.#expectations = new Expectations(env.clock)
    this.#control = new PodControl(env.client, recorderOf(env, of.component, signal))
    this.#queue = queueOf(env, of.queue, signal, { workers: WORKERS, work: key => this.#sync(key) })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#sets, this.#pods], this.#signal))) return
    this.#sets.on({
      added: set => this.#queue.add(objectKey(set)),
      updated: (set, old) =>
        set.metadata.generation === old.metadata.generation ? this.#recount(objectKey(set)) : this.#queue.add(objectKey(set)),
      deleted: set => {
        this.#expectations.forget(objectKey(set))
        this.#queue.add(objectKey(set))
      },
    })
    followOwnedPods({
      pods: this.#pods,
      owners: this.#sets,
      kind: this.#of.kind,
      matches: (set, pod) => matchesLabels(this.#of.selectorOf(set), pod.metadata.labels),
      created: key => this.#expectations.creationObserved(key),
      deleted: (key, pod) => this.#expectations.deletionObserved(key, objectKey(pod)),
      enqueue: key => this.#recount(key),
    })
    await untilAborted(this.#signal)
  }

  /**
   * Processes a set after a change of one of its pods, or of its status. The next pods of a large set are created or
   * deleted after the pause as well.
   */
  #recount(key: string): void {
    const set = this.#sets.store.get(key)
    this.#queue.addAfterPause(key, set ? recountPause(set.spec.replicas ?? 1) : 0)
  }

  async #sync(key: string): Promise<void> {
    const set = this.#sets.store.get(key)
    if (!set) return this.#expectations.forget(key)
    const mayChange = this.#expectations.areSatisfied(key) && set.metadata.deletionTimestamp === undefined
    const pods = await this.#claim(set)
    let failure: unknown
    if (mayChange)
      try {
        await this.#manage(key, set, pods)
      } catch (error) {
        failure = error
      }
    await this.#writeStatus(set, pods, failure)
    this.#checkAgain(key, set, pods)
    if (failure !== undefined) throw failure
  }

  /** Returns the active pods of the set, after it has adopted and released pods. */
  #claim(set: T): Promise<Pod[]> {
    const { uid = '', namespace = '' } = set.metadata
    const candidates = [...this.#pods.store.controlledBy(uid), ...this.#pods.store.orphansIn(namespace)].filter(isPodActive)
    const selector = this.#of.selectorOf(set)
    return claimObjects(candidates, { client: this.#env.client, controllerKind: this.#of.kind, controller: set, kind: PODS, selector })
  }

  /** Creates missing pods, or deletes pods that are too many. */
  async #manage(key: string, set: T, pods: readonly Pod[]): Promise<void> {
    const difference = pods.length - (set.spec.replicas ?? 1)
    if (difference < 0) await this.#create(key, set, Math.min(-difference, BURST))
    else if (difference > 0) {
      const victims = victimsOf(pods, this.#relatedPods(set), Math.min(difference, BURST), this.#env.clock.now())
      await this.#delete(key, set, await startInTurns(victims))
    }
  }

  async #create(key: string, set: T, count: number): Promise<void> {
    const { template } = set.spec
    if (!template) return
    this.#expectations.expectCreations(key, count)
    const { successes, error } = await inBatches(count, async () => {
      await this.#control.create(this.#of.kind, set, template).catch((failure: unknown) => {
        // No pod can be created in the namespace, and none is needed.
        if (!isNamespaceTerminating(failure)) throw failure
        this.#expectations.creationObserved(key)
      })
    })
    for (let skipped = count - successes; skipped > 0; skipped--) this.#expectations.creationObserved(key)
    if (error !== undefined) throw error
  }

  async #delete(key: string, set: T, victims: readonly Pod[]): Promise<void> {
    this.#expectations.expectDeletions(key, victims.map(objectKey))
    const errors: unknown[] = []
    await Promise.all(
      victims.map(pod =>
        this.#control.delete(this.#of.kind, set, pod).catch((error: unknown) => {
          this.#expectations.deletionObserved(key, objectKey(pod))
          if (!isStatusError(error, 'NotFound')) errors.push(error)
        }),
      ),
    )
    if (errors.length > 0) throw errors[0]
  }

  /** Pods of all sets that have the same owner. */
  #relatedPods(set: T): readonly Pod[] {
    const owner = controllerOf(set)
    const sets = owner ? this.#sets.store.controlledBy(owner.uid) : [set]
    return sets.flatMap(({ metadata: { uid = '' } }) => this.#pods.store.controlledBy(uid))
  }

  /**
   * Writes the status if it has changed. Reads the set again once if the write fails, because only this controller
   * writes the status.
   */
  async #writeStatus(set: T, pods: readonly Pod[], failure: unknown): Promise<void> {
    const { kind } = this.#of
    const { namespace = '', name = '' } = set.metadata
    for (let current = set, retried = false; ; retried = true) {
      const { template, replicas = 1, minReadySeconds = 0 } = current.spec
      const now = this.#env.clock.now()
      const labels = template?.metadata.labels ?? {}
      const status = statusOf({
        old: current.status,
        replicas,
        counts: await startInTurns(countPods(pods, { labels, minReadySeconds, now })),
        terminating: this.#terminating(current),
        failure: failure === undefined ? undefined : errorMessage(failure),
        generation: set.metadata.generation ?? 0,
        now,
      })
      if (isSameStatus(current.status, status)) return
      try {
        await this.#env.client.update(kind, { ...current, status }, 'status')
        return
      } catch (error) {
        if (retried || isStatusError(error, 'NotFound')) throw error
      }
      current = await this.#env.client.get(kind, namespace, name)
    }
  }

  /** Number of pods of the set that are being deleted. Undefined if the release does not count them. */
  #terminating(set: T): number | undefined {
    if (!this.#env.features.enabled('DeploymentReplicaSetTerminatingReplicas')) return undefined
    const selector = this.#of.selectorOf(set)
    return this.#pods.store
      .controlledBy(set.metadata.uid ?? '')
      .filter(pod => isPodTerminating(pod) && !isPodTerminal(pod) && matchesLabels(selector, pod.metadata.labels)).length
  }

  /** Looks at the set again when the next ready pod becomes available. */
  #checkAgain(key: string, { spec: { minReadySeconds = 0 } }: T, pods: readonly Pod[]): void {
    if (minReadySeconds === 0) return
    const now = this.#env.clock.now()
    const waits = pods.flatMap(pod => untilAvailable(pod, minReadySeconds, now) ?? [])
    if (waits.length > 0) this.#queue.addAfter(key, Math.min(...waits))
  }
}
