import type { StatefulSet } from '../../../api/apps/v1.types.ts'
import type { PersistentVolumeClaim, Pod } from '../../../api/core/v1.types.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { startInTurns } from '../../../lib/steps.ts'
import type { Release } from '../../../lifecycle/release.ts'
import { isStatusError } from '../../../meta/status.ts'
import { cloneInSteps } from '../../../meta/whole-floats.ts'
import type { ClusterEnvironment } from '../../shared/environment.ts'
import type { EventRecorder, EventText } from '../../shared/event-recorder.ts'
import { CLAIMS, PODS, STATEFUL_SETS } from '../../shared/kinds.ts'
import type { ObjectReader } from '../../shared/object-store.ts'
import {
  claimsOf,
  deletesOnScale,
  hasOtherController,
  hasOwnersOfPolicy,
  isStaleFor,
  withOwnersOfPolicy,
  withSelectorLabels,
} from './claims.ts'
import { claimEvent, conflictEvent, type PodVerb, podEvent } from './events.ts'
import { ordinalOf } from './ordinals.ts'
import type { ClaimState, PodStep } from './plan.ts'
import { hasIdentity, hasStorage, withIdentity, withStorage } from './pod.ts'

/** Number of attempts to write a pod that changes meanwhile. */
const ATTEMPTS = 5

/** Writes the pods of stateful sets with their claims, and records that in events of the set. */
export class StatefulPods {
  readonly #env: ClusterEnvironment
  readonly #events: EventRecorder
  readonly #claims: ObjectReader<PersistentVolumeClaim>
  readonly #release: Release

  constructor(env: ClusterEnvironment, events: EventRecorder, claims: ObjectReader<PersistentVolumeClaim>) {
    this.#env = env
    this.#events = events
    this.#claims = claims
    this.#release = env.features.release
  }

  /** Returns the state of the claims of a set. */
  claimState(set: StatefulSet): ClaimState {
    return {
      isStale: pod => deletesOnScale(set) && this.#stored(set, pod).some(claim => isStaleFor(claim, pod)),
      isRetained: pod => this.#stored(set, pod).every(claim => hasOwnersOfPolicy(claim, set, pod, this.#release)),
    }
  }

  /** Makes a write. Rejects with its error. */
  async write(set: StatefulSet, { pod, action }: PodStep): Promise<void> {
    switch (action) {
      case 'create':
        return this.#create(set, pod)
      case 'delete':
        return this.delete(set, pod)
      case 'claims':
        await this.#createClaims(set, pod)
        return this.#retain(set, pod)
      case 'repair':
        return this.#repair(set, pod)
      case 'retain':
        return this.#writeOwners(set, pod)
    }
  }

  async delete(set: StatefulSet, pod: Pod): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata
    await this.#recordedFailure('delete', set, pod, () => this.#env.client.delete(PODS, namespace, name, uid === undefined ? {} : { uid }))
    this.#record('delete', set, pod, undefined)
  }

  async #create(set: StatefulSet, pod: Pod): Promise<void> {
    try {
      await this.#createClaims(set, pod)
    } catch (error) {
      this.#record('create', set, pod, error)
      throw error
    }
    let failure: unknown
    try {
      await this.#env.client.create(PODS, await startInTurns(cloneInSteps(pod)))
    } catch (error) {
      // The name is taken by another pod, or this one has not been seen yet.
      if (isStatusError(error, 'AlreadyExists')) throw error
      failure = error
    }
    await this.#retain(set, pod)
    this.#record('create', set, pod, failure)
    if (failure !== undefined) throw failure
  }

  /** Restores labels, volumes and claims of a pod. */
  async #repair(set: StatefulSet, given: Pod): Promise<void> {
    const { namespace = '', name = '' } = given.metadata
    for (let pod = given, attempt = 1; ; attempt++) {
      const isRetained = this.claimState(set).isRetained(pod)
      if (hasIdentity(set, pod) && hasStorage(set, pod) && isRetained) return
      const repaired = withStorage(set, hasIdentity(set, pod) ? pod : await startInTurns(withIdentity(set, pod, this.#release)))
      if (!hasStorage(set, pod)) await this.#recordedFailure('update', set, pod, () => this.#createClaims(set, repaired))
      if (!isRetained) await this.#retain(set, repaired)
      try {
        await this.#env.client.update(PODS, repaired)
        return this.#record('update', set, pod, undefined)
      } catch (error) {
        if (attempt === ATTEMPTS || !isStatusError(error, 'Conflict')) {
          this.#record('update', set, pod, error)
          throw error
        }
      }
      pod = await this.#env.client.get(PODS, namespace, name)
    }
  }

  async #createClaims(set: StatefulSet, pod: Pod): Promise<void> {
    const errors: string[] = []
    for (const claim of claimsOf(set, ordinalOf(pod)).values()) {
      const { namespace = '', name = '' } = claim.metadata
      const stored = this.#claims.get(`${namespace}/${name}`)
      if (stored?.metadata.deletionTimestamp !== undefined) errors.push(`pvc ${name} is being deleted`)
      if (stored) continue
      try {
        await this.#env.client.create(CLAIMS, await startInTurns(withSelectorLabels(set, claim)))
        this.#send(set, claimEvent(name, nameOf(set), nameOf(pod), undefined))
      } catch (error) {
        errors.push(`failed to create PVC ${name}: ${errorMessage(error)}`)
        if (isStatusError(error, 'AlreadyExists')) continue
        this.#send(set, claimEvent(name, nameOf(set), nameOf(pod), error))
      }
    }
    if (errors.length > 0) throw new Error(aggregate(errors))
  }

  #retain(set: StatefulSet, pod: Pod): Promise<void> {
    return this.#recordedFailure('update', set, pod, () => this.#writeOwners(set, pod))
  }

  /**
   * Sets the owners of the claims of a pod by the retention policy. Claims that have not been seen yet follow later.
   */
  async #writeOwners(set: StatefulSet, pod: Pod): Promise<void> {
    for (const claim of this.#stored(set, pod)) {
      const name = nameOf(claim)
      if (hasOtherController(claim, set, pod, this.#release)) this.#send(set, conflictEvent(name))
      if (hasOwnersOfPolicy(claim, set, pod, this.#release)) continue
      await this.#env.client.update(CLAIMS, withOwnersOfPolicy(claim, set, pod, this.#release)).catch((error: unknown) => {
        throw new Error(`could not update claim ${name} for delete policy ownerRefs: ${errorMessage(error)}`)
      })
    }
  }

  /** Claims of a pod that exist. */
  #stored(set: StatefulSet, pod: Pod): PersistentVolumeClaim[] {
    return Array.from(claimsOf(set, ordinalOf(pod)).values()).flatMap(
      ({ metadata }) => this.#claims.get(`${metadata.namespace}/${metadata.name}`) ?? [],
    )
  }

  async #recordedFailure(verb: PodVerb, set: StatefulSet, pod: Pod, call: () => Promise<void>): Promise<void> {
    try {
      await call()
    } catch (error) {
      this.#record(verb, set, pod, error)
      throw error
    }
  }

  #record(verb: PodVerb, set: StatefulSet, pod: Pod, failure: unknown): void {
    this.#send(set, podEvent(verb, nameOf(set), nameOf(pod), failure))
  }

  #send(set: StatefulSet, { type, reason, message }: EventText): void {
    this.#events.record(STATEFUL_SETS, set, type, reason, message)
  }
}

const nameOf = ({ metadata: { name = '' } }: Pick<Pod, 'metadata'>): string => name
