import type { StatefulSet, StatefulSetStatus } from '../../../api/apps/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { isPodTerminating } from '../../shared/pods.ts'
import { type HealthRules, isAvailable, isCreated, isRunningAndReady } from './health.ts'
import { replicasOf } from './ordinals.ts'
import { revisionOf } from './pod.ts'

/** Input of `statusOf`. */
export interface StatusInput {
  readonly pods: readonly Pod[]
  /** Names of revisions. */
  readonly current: string
  readonly update: string
  readonly collisionCount: number
  /** Number of pods of the current revision that this pass has deleted. */
  readonly replaced: number
}

/**
 * Returns the status of a set with these pods. When all pods are updated and ready, the updated revision becomes the
 * current one.
 */
export function statusOf(
  set: StatefulSet,
  { pods, current, update, collisionCount, replaced }: StatusInput,
  rules: HealthRules,
): StatefulSetStatus {
  const count = (is: (pod: Pod) => boolean): number => pods.filter(is).length
  const isLive = (pod: Pod): boolean => isCreated(pod) && !isPodTerminating(pod)
  const status = {
    ...(set.metadata.generation !== undefined && { observedGeneration: set.metadata.generation }),
    replicas: count(isCreated),
    readyReplicas: count(isRunningAndReady),
    availableReplicas: count(pod => isRunningAndReady(pod) && isAvailable(pod, rules)),
    currentReplicas: count(pod => isLive(pod) && revisionOf(pod) === current) - replaced,
    updatedReplicas: count(pod => isLive(pod) && revisionOf(pod) === update),
    currentRevision: current,
    updateRevision: update,
    collisionCount,
    ...(set.status.conditions && { conditions: set.status.conditions }),
  }
  return isUpdateComplete(set, status) ? { ...status, currentReplicas: status.updatedReplicas, currentRevision: update } : status
}

const isUpdateComplete = (set: StatefulSet, { updatedReplicas, readyReplicas, replicas }: StatefulSetStatus): boolean =>
  set.spec.updateStrategy.type !== 'OnDelete' && [updatedReplicas, readyReplicas, replicas].every(count => count === replicasOf(set))

/** Whether writing the new status would change nothing that is compared: collisions alone are not written. */
export function isSameSetStatus(old: StatefulSetStatus, next: StatefulSetStatus): boolean {
  const values = (status: StatefulSetStatus): unknown[] => [
    status.replicas ?? 0,
    status.readyReplicas ?? 0,
    status.availableReplicas ?? 0,
    status.currentReplicas ?? 0,
    status.updatedReplicas ?? 0,
    status.currentRevision ?? '',
    status.updateRevision ?? '',
  ]
  const before = values(old)
  return (
    Number(next.observedGeneration ?? 0) <= Number(old.observedGeneration ?? 0) && values(next).every((value, i) => value === before[i])
  )
}
