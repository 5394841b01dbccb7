import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../../api/apps/v1.types.ts'
import { formatTime, timeMillis } from '../../../meta/time.ts'
import { maxUnavailable, replicasOf, totalReplicas } from './rollout.ts'

/** Deadline that stands for none. */
const NO_DEADLINE = 2 ** 31 - 1
/** Reasons of the condition Progressing with which the deadline has no effect any more. */
const FINAL_REASONS: readonly (string | undefined)[] = ['ProgressDeadlineExceeded', 'NewReplicaSetAvailable']

export type Conditions = readonly DeploymentCondition[]

export const conditionOf = (conditions: Conditions | undefined, type: string): DeploymentCondition | undefined =>
  conditions?.find(condition => condition.type === type)

export const hasDeadline = ({ spec: { progressDeadlineSeconds = NO_DEADLINE } }: Deployment): boolean =>
  progressDeadlineSeconds !== NO_DEADLINE

export const newCondition = (type: string, status: string, reason: string, message: string, now: number): DeploymentCondition => ({
  type,
  status,
  lastUpdateTime: formatTime(now),
  lastTransitionTime: formatTime(now),
  reason,
  message,
})

/** Sets a condition, unless status and reason are unchanged. The transition time changes only with the status. */
export function setCondition(conditions: Conditions, condition: DeploymentCondition): DeploymentCondition[] {
  const current = conditionOf(conditions, condition.type)
  if (current && current.status === condition.status && current.reason === condition.reason) return [...conditions]
  const lastTransitionTime = current?.status === condition.status ? current.lastTransitionTime : condition.lastTransitionTime
  return [...removeCondition(conditions, condition.type), { ...condition, lastTransitionTime }]
}

export const removeCondition = (conditions: Conditions, type: string): DeploymentCondition[] =>
  conditions.filter(condition => condition.type !== type)

/**
 * Returns the condition that pausing or resuming requires. Undefined if it is there already, or the progress has timed
 * out.
 */
export function pauseCondition(deployment: Deployment, now: number): DeploymentCondition | undefined {
  if (!hasDeadline(deployment)) return undefined
  const current = conditionOf(deployment.status.conditions, 'Progressing')
  if (current?.reason === 'ProgressDeadlineExceeded') return undefined
  const isMarked = current?.reason === 'DeploymentPaused'
  const { paused = false } = deployment.spec
  if (paused === isMarked) return undefined
  return paused
    ? newCondition('Progressing', 'Unknown', 'DeploymentPaused', 'Deployment is paused', now)
    : newCondition('Progressing', 'Unknown', 'DeploymentResumed', 'Deployment is resumed', now)
}

const sumOfSets = (sets: readonly ReplicaSet[], count: (status: ReplicaSet['status']) => number | undefined): number =>
  sets.reduce((total, { status }) => total + (count(status) ?? 0), 0)

/**
 * Returns counts and the condition Available of a deployment with these sets. @param countsTerminating whether the
 * release counts pods that are being deleted.
 */
export function countedStatus(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  { now, countsTerminating }: { readonly now: number; readonly countsTerminating: boolean },
): DeploymentStatus {
  const available = sumOfSets(all, status => status.availableReplicas)
  const unavailable = Math.max(0, totalReplicas(all) - available)
  const { collisionCount, conditions = [] } = deployment.status
  const isAvailable = available >= replicasOf(deployment) - maxUnavailable(deployment)
  const condition = isAvailable
    ? newCondition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.', now)
    : newCondition('Available', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.', now)
  return {
    ...(deployment.metadata.generation !== undefined && { observedGeneration: deployment.metadata.generation }),
    replicas: sumOfSets(all, status => status.replicas),
    updatedReplicas: newSet?.status.replicas ?? 0,
    readyReplicas: sumOfSets(all, status => status.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: unavailable,
    ...(countsTerminating && { terminatingReplicas: sumOfSets(all, status => status.terminatingReplicas) }),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: setCondition(conditions, condition),
  }
}

/** Whether all pods are of the new set and available, and the status is of the latest spec. */
export const isComplete = (deployment: Deployment, status: DeploymentStatus): boolean =>
  [status.updatedReplicas ?? 0, status.replicas ?? 0, status.availableReplicas ?? 0].every(count => count === replicasOf(deployment)) &&
  Number(status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)

/** Whether the new status shows progress: more new, ready or available pods, or fewer old ones. */
export function isProgress(old: DeploymentStatus, next: DeploymentStatus): boolean {
  const oldPods = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas
  return (
    (next.updatedReplicas ?? 0) > (old.updatedReplicas ?? 0) ||
    oldPods(next) < oldPods(old) ||
    (next.readyReplicas ?? 0) > (old.readyReplicas ?? 0) ||
    (next.availableReplicas ?? 0) > (old.availableReplicas ?? 0)
  )
}

/** Whether the deployment has made no progress for longer than its deadline. */
export function hasTimedOut(deployment: Deployment, conditions: Conditions | undefined, now: number): boolean {
  const { progressDeadlineSeconds = NO_DEADLINE } = deployment.spec
  const condition = conditionOf(conditions, 'Progressing')
  if (!hasDeadline(deployment) || !condition || condition.reason === 'NewReplicaSetAvailable') return false
  if (condition.reason === 'ProgressDeadlineExceeded') return true
  return (timeMillis(condition.lastUpdateTime) ?? 0) + progressDeadlineSeconds * 1000 < now
}

/**
 * Milliseconds until the deadline has to be checked. Undefined if it does not apply. 0 if it is less than a second
 * away. Once a rollout has succeeded, it does not time out when pods become unavailable; upstream goes on to check
 * then.
 */
export function untilDeadline(deployment: Deployment, next: DeploymentStatus, now: number): number | undefined {
  const condition = conditionOf(deployment.status.conditions, 'Progressing')
  if (!hasDeadline(deployment) || !condition || FINAL_REASONS.includes(condition.reason) || isComplete(deployment, next)) return undefined
  const left = (timeMillis(condition.lastUpdateTime) ?? 0) + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000 - now
  return left < 1000 ? 0 : left
}

/** Returns the status of a rollout: `countedStatus` with the conditions Progressing and ReplicaFailure. */
export function rolloutStatus(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  options: { readonly now: number; readonly countsTerminating: boolean },
): DeploymentStatus {
  const status = countedStatus(deployment, all, newSet, options)
  const progressing = withProgress(deployment, status, newSet, options.now)
  const failure = [...(newSet ? [newSet] : []), ...all].flatMap(set => failureOf(set) ?? [])[0]
  return { ...status, conditions: failure ? setCondition(progressing, failure) : removeCondition(progressing, 'ReplicaFailure') }
}

function withProgress(
  deployment: Deployment,
  status: DeploymentStatus,
  newSet: ReplicaSet | undefined,
  now: number,
): DeploymentCondition[] {
  const { conditions = [] } = status
  if (!hasDeadline(deployment)) return removeCondition(conditions, 'Progressing')
  const current = conditionOf(deployment.status.conditions, 'Progressing')
  if (status.replicas === status.updatedReplicas && current?.reason === 'NewReplicaSetAvailable') return [...conditions]
  const subject = newSet ? `ReplicaSet ${JSON.stringify(newSet.metadata.name)}` : `Deployment ${JSON.stringify(deployment.metadata.name)}`
  if (isComplete(deployment, status))
    return setCondition(
      conditions,
      newCondition('Progressing', 'True', 'NewReplicaSetAvailable', `${subject} has successfully progressed.`, now),
    )
  if (isProgress(deployment.status, status)) {
    // Each step of progress renews the time from which the deadline counts.
    const condition = newCondition('Progressing', 'True', 'ReplicaSetUpdated', `${subject} is progressing.`, now)
    const lastTransitionTime = current?.status === 'True' ? current.lastTransitionTime : condition.lastTransitionTime
    return [...removeCondition(conditions, 'Progressing'), { ...condition, lastTransitionTime }]
  }
  if (hasTimedOut(deployment, conditions, now))
    return setCondition(
      conditions,
      newCondition('Progressing', 'False', 'ProgressDeadlineExceeded', `${subject} has timed out progressing.`, now),
    )
  return [...conditions]
}

/** Returns the failure of a set to create or delete pods, as a condition of the deployment. */
function failureOf({ status }: ReplicaSet): DeploymentCondition | undefined {
  const failure = status.conditions?.find(({ type }) => type === 'ReplicaFailure')
  return failure && { ...failure, lastUpdateTime: failure.lastTransitionTime }
}
