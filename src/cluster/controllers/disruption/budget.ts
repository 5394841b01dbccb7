import type { Pod } from '../../../api/core/v1.types.ts'
import type { Time } from '../../../api/meta/object.ts'
import type { Condition } from '../../../api/meta/v1.types.ts'
import type { PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from '../../../api/policy/v1.types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { formatTime, timeMillis } from '../../../meta/time.ts'
import { isPodReady, isPodTerminal, podCondition } from '../../shared/pods.ts'
import { scaledValue } from '../../shared/scaled-value.ts'

/** Time after which a pod that was to be disrupted counts as healthy again, in milliseconds. */
const DELETION_TIMEOUT = 120_000
const ALLOWED = 'DisruptionAllowed'
const TARGET = 'DisruptionTarget'

/** Pods that a budget expects, and those of them that must be healthy. */
export interface Expectation {
  readonly expected: number
  readonly desired: number
}

/** Whether the controllers of the pods decide how many pods are expected. If not, it is the number of pods. */
export const usesScale = ({ minAvailable, maxUnavailable }: PodDisruptionBudgetSpec): boolean =>
  maxUnavailable !== undefined || typeof minAvailable === 'string'

/**
 * Returns the numbers of pods of a budget. Percentages are rounded up. Throws an Error if one is invalid. @param
 * expected see `usesScale`.
 */
export function expectationOf({ minAvailable, maxUnavailable }: PodDisruptionBudgetSpec, expected: number): Expectation {
  if (maxUnavailable !== undefined) return { expected, desired: Math.max(0, expected - scaledValue(maxUnavailable, expected, 'up')) }
  if (minAvailable !== undefined) return { expected, desired: scaledValue(minAvailable, expected, 'up') }
  return { expected: 0, desired: 0 }
}

/** Pods that the eviction API has let go. */
export interface DisruptedPods {
  /** Pods that are still expected to be deleted, with the time of their eviction. */
  readonly pending: Readonly<Record<string, Time>>
  /** Pods that should have been deleted by now. */
  readonly overdue: readonly Pod[]
  /** Milliseconds until the next pod is overdue. Undefined if there is none. */
  readonly checkAfter: number | undefined
}

/** Sorts the disrupted pods in the status, in steps. Pods that are gone or being deleted are left out. */
export function* disruptedPods(
  pods: readonly Pod[],
  { disruptedPods: disrupted = {} }: PodDisruptionBudgetStatus,
  now: number,
): Steps<DisruptedPods> {
  const pending: Record<string, Time> = {}
  const overdue: Pod[] = []
  let checkAfter: number | undefined
  for (const pod of pods) {
    if (isStepDone()) yield
    const { name = '', deletionTimestamp } = pod.metadata
    const time = Object.hasOwn(disrupted, name) ? disrupted[name] : undefined
    const at = timeMillis(time)
    if (deletionTimestamp !== undefined || time === undefined || at === undefined) continue
    const left = at + DELETION_TIMEOUT - now
    if (left < 0) overdue.push(pod)
    else {
      pending[name] = time
      checkAfter = Math.min(checkAfter ?? left, left)
    }
  }
  return { pending, overdue, checkAfter }
}

/** Counts the pods that are ready and not about to be deleted, in steps. */
export function* countHealthy(pods: readonly Pod[], pending: Readonly<Record<string, Time>>): Steps<number> {
  let count = 0
  for (const pod of pods) {
    if (isStepDone()) yield
    const { name = '', deletionTimestamp } = pod.metadata
    if (deletionTimestamp === undefined && !Object.hasOwn(pending, name) && isPodReady(pod)) count++
  }
  return count
}

/**
 * Returns the status of a budget. No disruption is allowed while no pod is expected, because pods may just not have
 * been seen.
 */
export function budgetStatus(
  budget: PodDisruptionBudget,
  { expected, desired }: Expectation,
  healthy: number,
  pending: Readonly<Record<string, Time>>,
  now: number,
): PodDisruptionBudgetStatus {
  const { metadata, status } = budget
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired)
  const generation = metadata.generation ?? 0
  return {
    observedGeneration: generation,
    ...(Object.keys(pending).length > 0 && { disruptedPods: { ...pending } }),
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    conditions: withCondition(status.conditions ?? [], allowedCondition(allowed > 0, generation, now)),
  }
}

/**
 * Returns the status of a budget whose pods could not be counted: no disruption is allowed. The condition observes the
 * generation that was counted last.
 */
export const failedStatus = ({ status }: PodDisruptionBudget, message: string, now: number): PodDisruptionBudgetStatus => ({
  ...status,
  disruptionsAllowed: 0,
  conditions: withCondition(status.conditions ?? [], {
    ...allowedCondition(false, Number(status.observedGeneration ?? 0), now),
    reason: 'SyncFailed',
    message,
  }),
})

/** Returns the condition of a budget. */
export const allowedCondition = (isAllowed: boolean, generation: number, now: number): Condition => ({
  type: ALLOWED,
  status: isAllowed ? 'True' : 'False',
  observedGeneration: generation,
  lastTransitionTime: formatTime(now),
  reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
  message: '',
})

/** Sets a condition. Its time changes with its status. */
function withCondition(conditions: readonly Condition[], next: Condition): Condition[] {
  const old = conditions.find(({ type }) => type === next.type)
  if (!old) return [...conditions, next]
  const changed = old.status === next.status ? { ...next, lastTransitionTime: old.lastTransitionTime } : next
  return conditions.map(condition => (condition === old ? changed : condition))
}

export const isSameStatus = (a: PodDisruptionBudgetStatus, b: PodDisruptionBudgetStatus): boolean =>
  deepEqual({ ...a, disruptedPods: a.disruptedPods ?? {} }, { ...b, disruptedPods: b.disruptedPods ?? {} })

/**
 * Milliseconds until the condition DisruptionTarget of a pod is stale: the pod was to be disrupted, but is not deleted.
 * Undefined if it has no such condition. The condition of a kubelet is never stale.
 */
export function untilStale(pod: Pod, now: number): number | undefined {
  const condition = podCondition(pod, TARGET)
  if (pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod)) return undefined
  if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined
  return Math.max(0, (timeMillis(condition.lastTransitionTime) ?? 0) + DELETION_TIMEOUT - now)
}
