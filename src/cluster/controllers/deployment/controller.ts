import type { Deployment, DeploymentStatus, ReplicaSet } from '../../../api/apps/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { untilAborted } from '../../../lib/on-abort.ts'
import { startInTurns } from '../../../lib/steps.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { matchesLabels } from '../../../meta/label-selector.ts'
import { undefinedIfNotFound } from '../../../meta/status.ts'
import { claimObjects } from '../../shared/adoption.ts'
import { type ClusterEnvironment, type ClusterPart, queueOf, recorderOf, untilSynced } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import type { Informer } from '../../shared/informer.ts'
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../shared/kinds.ts'
import { followOwned } from '../../shared/owned-objects.ts'
import { controllerOf } from '../../shared/owner.ts'
import { isPodTerminal } from '../../shared/pods.ts'
import { selectorOf } from '../../shared/selectors.ts'
import type { KeyQueue } from '../../shared/work-queue.ts'
import { surplusSets } from './replica-sets.ts'
import { rollbackOf, rollbackTarget } from './rollback.ts'
import { isRolling, isScaling, replicasOf, resizeAll, resizeNew, resizeOld } from './rollout.ts'
import { allSets, DeploymentSets, type Sets } from './sets-of-deployment.ts'
import { countedStatus, isComplete, pauseCondition, rolloutStatus, setCondition, untilDeadline } from './status.ts'

const WORKERS = 5
const MOST_RETRIES = 15

/**
 * Rolls out Deployments: creates a ReplicaSet for each template, and moves pods from the old ones to the new one. A key
 * is a Deployment.
 */
export const deploymentController: ClusterPart = (env, signal) => new DeploymentController(env, signal).run()

class DeploymentController {
  readonly #env: ClusterEnvironment
  readonly #signal: AbortSignal
  readonly #deployments: Informer<Deployment>
  readonly #sets: Informer<ReplicaSet>
  readonly #pods: Informer<Pod>
  readonly #events: EventRecorder
  readonly #writer: DeploymentSets
  readonly #queue: KeyQueue

  constructor(env: ClusterEnvironment, signal: AbortSignal) {
    this.#env = env
    this.#signal = signal
    this.#deployments = env.informers.of(DEPLOYMENTS)
    this.#sets = env.informers.of(REPLICA_SETS)
    this.#pods = env.informers.of(PODS)
    this.#events = recorderOf(env, 'deployment-controller', signal)
    this.#writer = new DeploymentSets(env, this.#events, this.#sets.store)
    this.#queue = queueOf(env, 'deployment', signal, { workers: WORKERS, maxRetries: MOST_RETRIES, work: key => this.#sync(key) })
  }

  async run(): Promise<void> {
    if (!(await untilSynced([this.#deployments, this.#sets, this.#pods], this.#signal))) return
    const enqueue = (deployment: Deployment): void => this.#queue.add(objectKey(deployment))
    this.#deployments.on({ added: enqueue, updated: enqueue, deleted: enqueue })
    followOwned({
      objects: this.#sets,
      owners: this.#deployments,
      kind: DEPLOYMENTS,
      matches: (deployment, set) => matchesLabels(selectorOf(deployment.spec.selector), set.metadata.labels),
      enqueue: key => this.#queue.add(key),
    })
    this.#pods.on({ deleted: pod => this.#podDeleted(pod) })
    await untilAborted(this.#signal)
  }

  /** Continues the rollout of a Deployment that recreates its pods when the last old one is gone. */
  #podDeleted(pod: Pod): void {
    const { namespace = '' } = pod.metadata
    const set = this.#sets.store.get(`${namespace}/${controllerOf(pod)?.name ?? ''}`)
    const deployment = set && this.#deployments.store.get(`${namespace}/${controllerOf(set)?.name ?? ''}`)
    if (deployment?.spec.strategy.type !== 'Recreate') return
    const sets = this.#sets.store.controlledBy(deployment.metadata.uid ?? '')
    if (sets.every(({ metadata: { uid = '' } }) => this.#pods.store.controlledBy(uid).length === 0)) this.#queue.add(objectKey(deployment))
  }

  async #sync(key: string): Promise<void> {
    const deployment = this.#deployments.store.get(key)
    if (!deployment) return
    const { selector, paused } = deployment.spec
    if (!selector || (Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0))
      return this.#selectsAll(deployment)
    const sets = await this.#claim(deployment)
    if (deployment.metadata.deletionTimestamp !== undefined) return this.#syncCounts(await this.#writer.synced(deployment, sets, false))
    const current = await this.#notePause(deployment)
    if (paused) return this.#syncPaused(current, sets)
    const target = rollbackTarget(current)
    if (target !== undefined) return this.#rollback(current, sets, target)
    const state = await this.#writer.synced(current, sets, false)
    if (isScaling(state.deployment, allSets(state.sets))) return this.#scale(state.deployment, state.sets)
    return isRolling(current) ? this.#roll(state.deployment, allSets(state.sets)) : this.#recreate(state.deployment, state.sets)
  }

  async #selectsAll(deployment: Deployment): Promise<void> {
    const message = 'This deployment is selecting all pods. A non-empty selector is required.'
    this.#events.record(DEPLOYMENTS, deployment, 'Warning', 'SelectingAll', message)
    const { generation = 0 } = deployment.metadata
    if (Number(deployment.status.observedGeneration ?? 0) < generation)
      await this.#writer.writeStatus(deployment, { ...deployment.status, observedGeneration: generation })
  }

  #claim(deployment: Deployment): Promise<ReplicaSet[]> {
    const { uid = '', namespace = '' } = deployment.metadata
    const candidates = [...this.#sets.store.controlledBy(uid), ...this.#sets.store.orphansIn(namespace)]
    const selector = selectorOf(deployment.spec.selector)
    return claimObjects(candidates, {
      client: this.#env.client,
      controllerKind: DEPLOYMENTS,
      controller: deployment,
      kind: REPLICA_SETS,
      selector,
    })
  }

  async #notePause(deployment: Deployment): Promise<Deployment> {
    const condition = pauseCondition(deployment, this.#env.clock.now())
    if (!condition) return deployment
    return this.#writer.writeStatus(deployment, {
      ...deployment.status,
      conditions: setCondition(deployment.status.conditions ?? [], condition),
    })
  }

  /** Scales a paused deployment, and deletes sets beyond its history. A new template waits. */
  async #syncPaused(deployment: Deployment, present: readonly ReplicaSet[]): Promise<void> {
    const state = await this.#writer.synced(deployment, present, false)
    await this.#writer.resize(state.deployment, resizeAll(state.deployment, state.sets.newSet, state.sets.old))
    if (rollbackTarget(state.deployment) === undefined) await this.#cleanUp(state.deployment, state.sets.old)
    await this.#syncCounts(state)
  }

  async #scale(deployment: Deployment, sets: Sets): Promise<void> {
    await this.#writer.resize(deployment, resizeAll(deployment, sets.newSet, sets.old))
    await this.#syncCounts({ deployment, sets })
  }

  async #rollback(deployment: Deployment, present: readonly ReplicaSet[], target: number): Promise<void> {
    const state = await this.#writer.synced(deployment, present, true)
    const { deployment: next, event } = await startInTurns(rollbackOf(state.deployment, allSets(state.sets), target))
    await this.#env.client.update(DEPLOYMENTS, next)
    this.#events.record(DEPLOYMENTS, deployment, event.type, event.reason, event.message)
  }

  /** One step of a rolling update: the new set grows, or else old ones shrink. */
  async #roll(present: Deployment, claimed: readonly ReplicaSet[]): Promise<void> {
    const { deployment, sets } = await this.#writer.synced(present, claimed, true)
    const { newSet, old } = sets
    if (!newSet) return
    const all = allSets(sets)
    const grown = resizeNew(deployment, all, newSet)
    const resizes = grown
      ? [grown]
      : resizeOld(
          deployment,
          old.filter(set => replicasOf(set) > 0),
          newSet,
        )
    await this.#writer.resize(deployment, resizes)
    if (resizes.length === 0 && isComplete(deployment, deployment.status)) await this.#cleanUp(deployment, old)
    await this.#syncRollout(deployment, sets)
  }

  /** One step of a Deployment that recreates its pods: all old pods end before the first new one is created. */
  async #recreate(present: Deployment, before: Sets): Promise<void> {
    const active = before.old.filter(set => replicasOf(set) > 0)
    if (active.length > 0) {
      await this.#writer.resize(
        present,
        active.map(set => ({ set, replicas: 0 })),
      )
      return this.#syncRollout(present, before)
    }
    if (hasOldPods(before, set => this.#pods.store.controlledBy(set.metadata.uid ?? ''))) return this.#syncRollout(present, before)
    const { deployment, sets } = before.newSet
      ? { deployment: present, sets: before }
      : await this.#writer.synced(present, before.old, true)
    if (sets.newSet && replicasOf(sets.newSet) !== replicasOf(deployment))
      await this.#writer.resize(deployment, [{ set: sets.newSet, replicas: replicasOf(deployment) }])
    if (isComplete(deployment, deployment.status)) await this.#cleanUp(deployment, sets.old)
    await this.#syncRollout(deployment, sets)
  }

  async #cleanUp(deployment: Deployment, old: readonly ReplicaSet[]): Promise<void> {
    for (const { metadata } of surplusSets(deployment, old))
      await this.#env.client.delete(REPLICA_SETS, metadata.namespace ?? '', metadata.name ?? '').catch(undefinedIfNotFound)
  }

  /** Writes counts and availability. */
  async #syncCounts({ deployment, sets }: { readonly deployment: Deployment; readonly sets: Sets }): Promise<void> {
    await this.#write(deployment, countedStatus(deployment, allSets(sets), sets.newSet, this.#statusOptions()))
  }

  /** Writes the whole status, or else looks at the deadline again later. */
  async #syncRollout(deployment: Deployment, sets: Sets): Promise<void> {
    const status = rolloutStatus(deployment, allSets(sets), sets.newSet, this.#statusOptions())
    if (await this.#write(deployment, status)) return
    const wait = untilDeadline(deployment, status, this.#env.clock.now())
    if (wait !== undefined) this.#queue.addAfter(objectKey(deployment), wait + 1000)
  }

  /** Whether the status has changed, and is written. */
  async #write(deployment: Deployment, status: DeploymentStatus): Promise<boolean> {
    if (isSameStatus(deployment.status, status)) return false
    await this.#writer.writeStatus(deployment, status)
    return true
  }

  #statusOptions(): { readonly now: number; readonly countsTerminating: boolean } {
    return { now: this.#env.clock.now(), countsTerminating: this.#env.features.enabled('DeploymentReplicaSetTerminatingReplicas') }
  }
}

/** Whether an old set has pods that have not ended, as its status or the pods say. */
export function hasOldPods({ newSet, old }: Sets, podsOf: (set: ReplicaSet) => readonly Pod[]): boolean {
  return old.filter(set => set !== newSet).some(set => set.status.replicas > 0 || podsOf(set).some(pod => !isPodTerminal(pod)))
}

/** Zero counts are omitted when they are stored. */
function isSameStatus(a: DeploymentStatus, b: DeploymentStatus): boolean {
  const counts = ({ conditions, ...rest }: DeploymentStatus): unknown[] =>
    [
      rest.observedGeneration,
      rest.replicas,
      rest.updatedReplicas,
      rest.readyReplicas,
      rest.availableReplicas,
      rest.unavailableReplicas,
      rest.terminatingReplicas,
    ].map(count => Number(count ?? 0))
  return deepEqual(counts(a), counts(b)) && a.collisionCount === b.collisionCount && deepEqual(a.conditions, b.conditions)
}
