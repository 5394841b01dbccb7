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
  readonly minReadySeconds: number
  /** Number of the pods that have all labels of the template. */
  readonly fullyLabeled: number
  /** Active pods of the set. */
  readonly pods: readonly Pod[]
  /** Number of pods that are being deleted. Undefined if the release does not report it. */
  readonly terminating: number | undefined
  /** Message of the failure to create or delete pods. Undefined if there was none. */
  readonly failure: string | undefined
  /** Generation that was processed. */
  readonly generation: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Counts the pods that have all of these labels, in steps. */
export function* countWithLabels(pods: readonly Pod[], labels: Readonly<Record<string, string>>): Steps<number> {
  const names = yield* memberNames(labels)
  let count = 0
  for (const { metadata } of pods) {
    let hasAll = true
    for (let i = 0; hasAll && i < names.length; i++) {
      if (isStepDone()) yield
      const name = names[i] ?? ''
      hasAll = metadata.labels?.[name] === labels[name]
    }
    if (hasAll) count++
  }
  return count
}

/** Sets of fewer replicas are processed again at once after the change of a pod. */
const MANY_REPLICAS = 1000
/** Replicas of a larger set for each millisecond until it is processed again. */
const REPLICAS_PER_MS = 100
const LONGEST_PAUSE_MS = 1000

/**
 * Returns the milliseconds in which changes of pods are counted together. Counting takes about a microsecond for each
 * pod, so a set whose pods all change would take a time that grows with their square.
 */
export const recountPause = (replicas: number): number =>
  replicas < MANY_REPLICAS ? 0 : Math.min(replicas / REPLICAS_PER_MS, LONGEST_PAUSE_MS)

/** Returns the status of a set with these pods. Corresponds to upstream's calculateStatus. */
export function statusOf({
  old,
  replicas,
  minReadySeconds,
  fullyLabeled,
  pods,
  terminating,
  failure,
  generation,
  now,
}: StatusInput): ReplicaSetStatus {
  const count = (is: (pod: Pod) => boolean): number => pods.filter(is).length
  const conditions = conditionsOf(old.conditions ?? [], failure, pods.length < replicas ? 'FailedCreate' : 'FailedDelete', now)
  return {
    replicas: pods.length,
    fullyLabeledReplicas: fullyLabeled,
    readyReplicas: count(isPodReady),
    availableReplicas: count(pod => isPodAvailable(pod, minReadySeconds, now)),
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
