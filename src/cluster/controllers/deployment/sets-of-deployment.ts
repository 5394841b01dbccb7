import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../../api/apps/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { runIfSteps, startInTurns } from '../../../lib/steps.ts'
import { isStatusError } from '../../../meta/status.ts'
import type { ClusterEnvironment } from '../../shared/environment.ts'
import type { EventRecorder } from '../../shared/event-recorder.ts'
import { DEPLOYMENTS, REPLICA_SETS } from '../../shared/kinds.ts'
import type { ObjectReader } from '../../shared/object-store.ts'
import { isControlledBy } from '../../shared/owner.ts'
import { isNamespaceTerminating } from '../../shared/pod-control.ts'
import { areSameMembers, withMembers } from '../../shared/with-members.ts'
import { replicaSetFor } from './new-set.ts'
import { isSameTemplate, newSetOf } from './replica-sets.ts'
import { latestRevision, newSetAnnotations, REVISION, sizeAnnotations } from './revisions.ts'
import { maxSurge, type Resize, replicasOf } from './rollout.ts'
import { conditionOf, hasDeadline, newCondition, setCondition } from './status.ts'

/** The sets of a deployment. */
export interface Sets {
  /** The set with the present template. Undefined if there is none yet. */
  readonly newSet: ReplicaSet | undefined
  readonly old: readonly ReplicaSet[]
}

export const allSets = ({ newSet, old }: Sets): ReplicaSet[] => [...old, ...(newSet ? [newSet] : [])]

/** Writes a deployment's sets, and records that in its events. */
export class DeploymentSets {
  readonly #env: ClusterEnvironment
  readonly #events: EventRecorder
  readonly #stored: ObjectReader<ReplicaSet>

  constructor(env: ClusterEnvironment, events: EventRecorder, stored: ObjectReader<ReplicaSet>) {
    this.#env = env
    this.#events = events
    this.#stored = stored
  }

  /**
   * Returns the deployment and its sets after the revision of the new one has been brought up to date.
   * @param creates whether a missing new set is created.
   */
  async synced(
    deployment: Deployment,
    sets: readonly ReplicaSet[],
    creates: boolean,
  ): Promise<{ readonly deployment: Deployment; readonly sets: Sets }> {
    const found = await startInTurns(newSetOf(deployment, sets))
    const old = sets.filter(set => set !== found)
    const revision = latestRevision(old) + 1
    if (found) {
      const newSet = await this.#updateNew(deployment, found, revision)
      // The deployment follows in the pass that comes from a change of the set.
      return { deployment: newSet === found ? await this.#note(deployment, newSet, false) : deployment, sets: { newSet, old } }
    }
    if (!creates) return { deployment, sets: { newSet: undefined, old } }
    const { newSet, isCreated } = await this.#create(deployment, old, revision)
    return { deployment: await this.#note(deployment, newSet, isCreated), sets: { newSet, old } }
  }

  async #updateNew(deployment: Deployment, set: ReplicaSet, revision: number): Promise<ReplicaSet> {
    const present = set.metadata.annotations ?? {}
    const annotations = await startInTurns(newSetAnnotations(deployment, present, revision))
    const minReadySeconds = deployment.spec.minReadySeconds ?? 0
    const isUnchanged = (set.spec.minReadySeconds ?? 0) === minReadySeconds
    if (isUnchanged && (await startInTurns(areSameMembers(present, annotations)))) return set
    return this.#env.client.update(REPLICA_SETS, {
      ...set,
      metadata: { ...set.metadata, annotations },
      spec: { ...set.spec, minReadySeconds },
    })
  }

  /** Brings revision and condition of the deployment up to date with its new set. */
  async #note(deployment: Deployment, { metadata: { name, annotations } }: ReplicaSet, isCreated: boolean): Promise<Deployment> {
    const revision = annotations?.[REVISION] ?? ''
    const isMissing = conditionOf(deployment.status.conditions, 'Progressing') === undefined
    const now = this.#env.clock.now()
    const condition = !hasDeadline(deployment)
      ? undefined
      : isCreated
        ? newCondition('Progressing', 'True', 'NewReplicaSetCreated', `Created new replica set ${JSON.stringify(name)}`, now)
        : isMissing
          ? newCondition('Progressing', 'True', 'FoundNewReplicaSet', `Found new replica set ${JSON.stringify(name)}`, now)
          : undefined
    if (!condition && deployment.metadata.annotations?.[REVISION] === revision) return deployment
    const noted = await startInTurns(runIfSteps(withMembers(deployment.metadata.annotations, { [REVISION]: revision })))
    const next = { ...deployment, metadata: { ...deployment.metadata, annotations: noted } }
    return this.writeStatus(next, condition ? withCondition(deployment.status, condition) : deployment.status)
  }

  async #create(
    deployment: Deployment,
    old: readonly ReplicaSet[],
    revision: number,
  ): Promise<{ readonly newSet: ReplicaSet; readonly isCreated: boolean }> {
    const set = await startInTurns(replicaSetFor(deployment, old, revision, this.#env.features.release))
    const name = set.metadata.name ?? ''
    const count = replicasOf(set)
    try {
      const newSet = await this.#env.client.create(REPLICA_SETS, set)
      if (count > 0) this.#scaled(deployment, name, 0, count)
      return { newSet, isCreated: true }
    } catch (error) {
      if (isStatusError(error, 'AlreadyExists')) return { newSet: await this.#existing(deployment, set, error), isCreated: false }
      if (!isNamespaceTerminating(error)) await this.#reportFailure(deployment, name, error)
      throw error
    }
  }

  /**
   * Returns the stored set of this name if it is the deployment's own, which the informer had not seen. Otherwise
   * counts a collision, and throws the error.
   */
  async #existing(deployment: Deployment, set: ReplicaSet, error: unknown): Promise<ReplicaSet> {
    const stored = this.#stored.get(objectKey(set))
    if (!stored) throw error
    const isSame = await startInTurns(isSameTemplate(stored.spec.template, deployment.spec.template))
    if (isSame && isControlledBy(stored, deployment)) return stored
    await this.writeStatus(deployment, { ...deployment.status, collisionCount: (deployment.status.collisionCount ?? 0) + 1 })
    throw error
  }

  async #reportFailure(deployment: Deployment, name: string, error: unknown): Promise<void> {
    const message = `Failed to create new replica set ${JSON.stringify(name)}: ${errorMessage(error)}`
    if (hasDeadline(deployment)) {
      const condition = newCondition('Progressing', 'False', 'ReplicaSetCreateError', message, this.#env.clock.now())
      // The error of the creation is the one to retry.
      await this.writeStatus(deployment, withCondition(deployment.status, condition)).catch(() => {})
    }
    this.#events.record(DEPLOYMENTS, deployment, 'Warning', 'ReplicaSetCreateError', message)
  }

  /** Writes sizes of sets in this order, with the annotations that say for which size of the deployment. */
  async resize(deployment: Deployment, resizes: readonly Resize[]): Promise<void> {
    const annotations = sizeAnnotations(replicasOf(deployment), replicasOf(deployment) + maxSurge(deployment))
    /** Sets that were written, by the given ones. */
    const written = new Map<ReplicaSet, ReplicaSet>()
    for (const { set: given, replicas } of resizes) {
      const set = written.get(given) ?? given
      const before = replicasOf(set)
      const isCurrent = Object.entries(annotations).every(([name, value]) => set.metadata.annotations?.[name] === value)
      if (before === replicas && isCurrent) continue
      const resized = {
        ...set,
        metadata: { ...set.metadata, annotations: await startInTurns(runIfSteps(withMembers(set.metadata.annotations, annotations))) },
        spec: { ...set.spec, replicas },
      }
      written.set(given, await this.#env.client.update(REPLICA_SETS, resized))
      if (before !== replicas) this.#scaled(deployment, set.metadata.name ?? '', before, replicas)
    }
  }

  #scaled(deployment: Deployment, name: string, from: number, to: number): void {
    const message = `Scaled ${to > from ? 'up' : 'down'} replica set ${name} from ${from} to ${to}`
    this.#events.record(DEPLOYMENTS, deployment, 'Normal', 'ScalingReplicaSet', message)
  }

  /** Writes the status, and the annotations of the deployment with it. Returns what was stored. */
  writeStatus(deployment: Deployment, status: DeploymentStatus): Promise<Deployment> {
    return this.#env.client.update(DEPLOYMENTS, { ...deployment, status }, 'status')
  }
}

const withCondition = (status: DeploymentStatus, condition: DeploymentCondition): DeploymentStatus => ({
  ...status,
  conditions: setCondition(status.conditions ?? [], condition),
})
