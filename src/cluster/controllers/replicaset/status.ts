import type { ReplicaSetCondition, ReplicaSetStatus } from '../../../api/apps/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { memberNames } from '../../../lib/wide-objects.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { formatTime } from '../../../meta/time.ts'
import { isPodAvailable, isPodReady } from '../../shared/pods.ts'

/** Type of the only condition. */
const REPLICA_FAILURE = 'ReplicaFailure'

/** Input of `statusOf`. */
export interface StatusInput {
  /** Stored status, whose conditions may stay. */
  readonly old: ReplicaSetStatus
  /** Replicas in the spec. */
  readonly replicas: number
  readonly counts: PodCounts
  /** Number of pods that are being deleted. Undefined if the release does not report it. */
  readonly terminating: number | undefined
  /** Message of the failure to create or delete pods. Undefined if there was none. */
  readonly failure: string | undefined
  /** Generation that was processed. */
  readonly generation: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Numbers of the active pods of a set. */
export interface PodCounts {
  readonly active: number
  /** Number of active pods that have all labels of the template. */
  readonly fullyLabeled: number
  readonly ready: number
  readonly available: number
}

/** Conditions by which `countPods` counts. */
export interface CountedBy {
  /** Labels of the template. */
  readonly labels: Readonly<Record<string, string>>
  readonly minReadySeconds: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Counts the active pods of a set, in steps. */
export function* countPods(pods: readonly Pod[], { labels, minReadySeconds, now }: CountedBy): Steps<PodCounts> {
  const names = yield* memberNames(labels)
  let [fullyLabeled, ready, available] = [0, 0, 0]
  for (const pod of pods) {
    let hasAll = true
    for (let i = 0; hasAll && i < names.length; i++) {
      if (isStepDone()) yield
      const name = names[i] ?? ''
      hasAll = pod.metadata.labels?.[name] === labels[name]
    }
    if (hasAll) fullyLabeled++
    if (isPodReady(pod)) ready++
    if (isPodAvailable(pod, minReadySeconds, now)) available++
    if (isStepDone()) yield
  }
  return { active: pods.length, fullyLabeled, ready, available }
}

/** Returns the status of a set with these numbers of pods. Corresponds to upstream's calculateStatus. */
export function statusOf({ old, replicas, counts, terminating, failure, generation, now }: StatusInput): ReplicaSetStatus {
  const { active, fullyLabeled, ready, available } = counts
  const conditions = conditionsOf(old.conditions ?? [], failure, active < replicas ? 'FailedCreate' : 'FailedDelete', now)
  return {
    replicas: active,
    fullyLabeledReplicas: fullyLabeled,
    readyReplicas: ready,
    availableReplicas: available,
    ...(terminating !== undefined && { terminatingReplicas: terminating }),
    observedGeneration: generation,
    ...(conditions.length > 0 && { conditions }),
  }
}

/** A failure that persists keeps its condition, with the first message. */
function conditionsOf(
  old: readonly ReplicaSetCondition[],
  failure: string | undefined,
  reason: string,
  now: number,
): ReplicaSetCondition[] {
  if (failure === undefined) return old.filter(({ type }) => type !== REPLICA_FAILURE)
  if (old.some(({ type }) => type === REPLICA_FAILURE)) return [...old]
  return [...old, { type: REPLICA_FAILURE, status: 'True', reason, message: failure, lastTransitionTime: formatTime(now) }]
}

/** Whether writing the new status would change nothing. */
export const isSameStatus = (a: ReplicaSetStatus, b: ReplicaSetStatus): boolean => deepEqual(withZeros(a), withZeros(b))

/** Zero counts are omitted when they are stored. */
const withZeros = (status: ReplicaSetStatus): ReplicaSetStatus => ({
  fullyLabeledReplicas: 0,
  readyReplicas: 0,
  availableReplicas: 0,
  observedGeneration: 0,
  ...status,
})
