import type { ControllerRevision, StatefulSet, StatefulSetStatus } from '../../../api/apps/v1.types.ts'
import type { PersistentVolumeClaim, Pod } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { nextBackgroundTurn, turnIsSpent } from '../../../lib/turn.ts'
import { matchesLabels } from '../../../meta/label-selector.ts'
import { isStatusError } from '../../../meta/status.ts'
import { claimObjects } from '../../shared/adoption.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import { inBatches } from '../../shared/in-batches.ts'
import type { Informer } from '../../shared/informer.ts'
import { CLAIMS, CONTROLLER_REVISIONS, PODS, STATEFUL_SETS } from '../../shared/kinds.ts'
import { followOwnedPods } from '../../shared/owned-pods.ts'
import { untilAvailable } from '../../shared/pods.ts'
import { recountPause } from '../../shared/recount-pause.ts'
import { byRevisionNumber, deleteRevisions, templateOf } from '../../shared/revision-history.ts'
import { selectorOf } from '../../shared/selectors.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { deletesOnScale } from './claims.ts'
import type { HealthRules } from './health.ts'
import { identityOfName, isMemberOf, replicasOf } from './ordinals.ts'
import { isOrdered, maxUnavailableOf, type PodStep, podsOfSetInSteps, podsToRecreate, podsToReplace, scalePlan } from './plan.ts'
import type { SetRevisions } from './pod.ts'
import { StatefulPods } from './pod-writer.ts'
import { type RevisionsOfSet, revisionsFor, surplusRevisions } from './revisions.ts'
import { isSameSetStatus, statusOf } from './status.ts'

const WORKERS = 5

/** Keeps the pods of StatefulSets, each with its name and its claims. A key is a set. */
export const statefulSetController: ClusterPart = (env, signal) => new StatefulSetController(env, signal).run()

/** Result of a pass over the pods of a set. */
interface Pass {
  readonly status: StatefulSetStatus
  /** Undefined if all writes succeeded. */
  readonly failure: unknown
}

class StatefulSetController {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #sets: Informer<StatefulSet>
  readonly #pods: Informer<Pod>
  readonly #claims: Informer<PersistentVolumeClaim>
  readonly #revisions: Informer<ControllerRevision>
  readonly #writer: StatefulPods
  readonly #queue: KeyQueue

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    const { informers } = env
    this.#env = env
    this.#signal = signal
    this.#sets = informers.of(STATEFUL_SETS)
    this.#pods = informers.of(PODS)
    this.#claims = informers.of(CLAIMS)
    this.#revisions = informers.of(CONTROLLER_REVISIONS)
    this.#writer = new StatefulPods(env, recorderOf(env, 'statefulset-controller', signal), this.#claims.store)
    this.#queue = queueOf(env, 'statefulset', signal, { workers: WORKERS, work: key => this.#sync(key) })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#sets, this.#pods, this.#claims, this.#revisions], this.#signal))) return
    const enqueue = (set: StatefulSet): void => this.#queue.add(objectKey(set))
    this.#sets.on({ added: enqueue, updated: enqueue, deleted: enqueue })
    followOwnedPods({
      pods: this.#pods,
      owners: this.#sets,
      kind: STATEFUL_SETS,
      matches: (set, pod) => matchesLabels(selectorOf(set.spec.selector), pod.metadata.labels),
      created: () => {},
      deleted: () => {},
      enqueue: key => this.#queue.addAfterPause(key, recountPause(this.#sets.store.get(key)?.spec.replicas ?? 1)),
    })
    const ownersOf = ({ metadata }: PersistentVolumeClaim): number => metadata.ownerReferences?.length ?? 0
    this.#claims.on({
      updated: (claim, old) => {
        if (ownersOf(claim) < ownersOf(old)) this.#claimFreed(claim)
      },
      deleted: claim => this.#claimFreed(claim),
    })
    await untilAborted(this.#signal)
  }

  /** Looks at the sets that may wait for a claim to lose its earlier owner before they create its pod. */
  #claimFreed({ metadata: { namespace = '', name = '' } }: PersistentVolumeClaim): void {
    const { parent } = identityOfName(name)
    for (const set of this.#sets.store.inNamespace(namespace)) {
      const isOfSet = set.spec.volumeClaimTemplates?.some(({ metadata }) => parent === `${metadata.name}-${set.metadata.name}`)
      if (isOfSet && deletesOnScale(set)) this.#queue.add(objectKey(set))
    }
  }

  async #sync(key: string): Promise<void> {
    const set = this.#sets.store.get(key)
    if (!set) return
    const present = await this.#claimRevisions(set)
    const pods = await this.#claimPods(set)
    const revisions = await revisionsFor(this.#env, set, present)
    try {
      const { status, failure } = await this.#pass(set, pods, revisions)
      await this.#writeStatus(set, status)
      if (failure !== undefined) throw failure
    } finally {
      const live = [revisions.current, revisions.update].map(({ metadata: { name = '' } }) => name)
      await deleteRevisions(this.#env.client, surplusRevisions(set, present, pods, live))
    }
    this.#checkAgain(key, set, pods)
  }

  /**
   * Returns the revisions that the selector matches, ordered by number, after those without a controller are adopted.
   */
  async #claimRevisions(set: StatefulSet): Promise<ControllerRevision[]> {
    const { uid = '', namespace = '' } = set.metadata
    const selector = selectorOf(set.spec.selector)
    const { store } = this.#revisions
    const candidates = [...store.controlledBy(uid), ...store.orphansIn(namespace)].filter(({ metadata }) =>
      matchesLabels(selector, metadata.labels),
    )
    const options = { client: this.#env.client, controllerKind: STATEFUL_SETS, controller: set, kind: CONTROLLER_REVISIONS, selector }
    return (await claimObjects(candidates, options)).sort(byRevisionNumber)
  }

  #claimPods(set: StatefulSet): Promise<Pod[]> {
    const { uid = '', namespace = '' } = set.metadata
    const candidates = [...this.#pods.store.controlledBy(uid), ...this.#pods.store.orphansIn(namespace)]
    const selector = selectorOf(set.spec.selector)
    const filter = (pod: Pod): boolean => isMemberOf(set, pod)
    return claimObjects(candidates, {
      client: this.#env.client,
      controllerKind: STATEFUL_SETS,
      controller: set,
      kind: PODS,
      selector,
      filter,
    })
  }

  /** Makes the writes of one pass, until one fails. */
  async #pass(set: StatefulSet, pods: readonly Pod[], revisions: RevisionsOfSet): Promise<Pass> {
    const rules: HealthRules = {
      minReadySeconds: set.spec.minReadySeconds ?? 0,
      release: this.#env.features.release,
      now: this.#env.clock.now(),
    }
    const names = namesOfRevisions(revisions)
    const status = (counted: readonly Pod[], replaced = 0): StatefulSetStatus =>
      statusOf(
        set,
        { pods: counted, current: names.current.name, update: names.update.name, collisionCount: revisions.collisionCount, replaced },
        rules,
      )
    if (set.metadata.deletionTimestamp !== undefined) return { status: status(pods), failure: undefined }
    const recreated = this.#recreates(set) ? podsToRecreate(pods, names.update.name) : undefined
    if (recreated) return this.#deleteAll(set, recreated, replaced => status(pods, replaced))
    const setPods = await startInTurns(podsOfSetInSteps(set, pods, names, rules))
    const { replicas, condemned } = setPods
    const all = [...replicas, ...condemned]
    if (turnIsSpent()) await nextBackgroundTurn()
    const plan = scalePlan(set, setPods, this.#writer.claimState(set), rules)
    for (const group of plan.groups) {
      const failure = await this.#writeGroup(set, group)
      if (failure !== undefined) return { status: status(all), failure }
    }
    if (plan.isBlocked) return { status: status(all), failure: undefined }
    if (turnIsSpent()) await nextBackgroundTurn()
    const outdated = podsToReplace(set, replicas, names.update.name, { ...rules, maxUnavailable: this.#maxUnavailable(set) })
    return this.#deleteAll(set, outdated, replaced => status(all, replaced))
  }

  /** Deletes pods of older revisions. @param status returns the status of the set after so many deletions. */
  async #deleteAll(set: StatefulSet, pods: readonly Pod[], status: (replaced: number) => StatefulSetStatus): Promise<Pass> {
    let replaced = 0
    for (const pod of pods) {
      const failure = await this.#failureOf(() => this.#writer.delete(set, pod))
      if (failure !== undefined && !isStatusError(failure, 'NotFound')) return { status: status(replaced), failure }
      replaced++
    }
    return { status: status(replaced), failure: undefined }
  }

  #recreates({ spec: { updateStrategy } }: StatefulSet): boolean {
    return updateStrategy.type === 'Recreate' && this.#env.features.enabled('StatefulSetRecreateStrategy')
  }

  /** Number of pods that may be down during an update. Undefined if the gate is off. */
  #maxUnavailable(set: StatefulSet): number | undefined {
    if (!this.#env.features.enabled('MaxUnavailableStatefulSet')) return undefined
    return maxUnavailableOf(set.spec.updateStrategy.rollingUpdate?.maxUnavailable, replicasOf(set))
  }

  /**
   * Makes the writes of a group: one after the other if the set is ordered, in batches otherwise. Returns the first
   * error.
   */
  async #writeGroup(set: StatefulSet, group: readonly PodStep[]): Promise<unknown> {
    const left = [...group]
    const next = async (): Promise<void> => {
      const step = left.shift()
      if (turnIsSpent()) await nextBackgroundTurn()
      if (step) await this.#writer.write(set, step)
    }
    if (!isOrdered(set)) return (await inBatches(group.length, next)).error
    return this.#failureOf(async () => {
      while (left.length > 0) await next()
    })
  }

  async #failureOf(call: () => Promise<void>): Promise<unknown> {
    try {
      await call()
      return undefined
    } catch (error) {
      return error
    }
  }

  /**
   * Writes the status if it has changed. Reads the set again if it has changed meanwhile: only this controller writes
   * the status.
   */
  async #writeStatus(set: StatefulSet, status: StatefulSetStatus): Promise<void> {
    if (isSameSetStatus(set.status, status)) return
    const { namespace = '', name = '' } = set.metadata
    for (let current = set, retried = false; ; retried = true) {
      try {
        await this.#env.client.update(STATEFUL_SETS, { ...current, status }, 'status')
        return
      } catch (error) {
        if (retried || !isStatusError(error, 'Conflict')) throw error
      }
      current = await this.#env.client.get(STATEFUL_SETS, namespace, name)
    }
  }

  /** Looks at the set again when the next ready pod becomes available. */
  #checkAgain(key: string, { spec: { minReadySeconds = 0 } }: StatefulSet, pods: readonly Pod[]): void {
    if (minReadySeconds === 0) return
    const now = this.#env.clock.now()
    const waits = pods.flatMap(pod => untilAvailable(pod, minReadySeconds, now) ?? [])
    if (waits.length > 0) this.#queue.addAfter(key, Math.min(...waits))
  }
}

function namesOfRevisions({ current, update }: RevisionsOfSet): SetRevisions {
  const of = (revision: ControllerRevision): SetRevisions['current'] => ({
    name: revision.metadata.name ?? '',
    template: templateOf(revision),
  })
  return { current: of(current), update: of(update) }
}
