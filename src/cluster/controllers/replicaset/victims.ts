import type { Pod } from '../../../api/core/v1.types.ts'
import { parseInt64 } from '../../../lib/integer.ts'
import { isStepDone, type Steps, sortInSteps } from '../../../lib/steps.ts'
import { timeMillis } from '../../../meta/time.ts'
import { compareRestarts, isPodActive, type PodRestarts, readySince, restartsOf } from '../../shared/pods.ts'

/** Annotation with the cost of deleting a pod: pods with a lower one are deleted first. Default: 0. */
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'

const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/** A pod that may be deleted, with the values by which it is ordered. */
export interface Victim {
  readonly pod: Pod
  readonly node: string
  readonly phase: number
  /** Milliseconds since the epoch. Undefined if it is not ready. */
  readonly readySince: number | undefined
  readonly deletionCost: number
  /** Number of active pods of the same owner on its node. */
  readonly rank: number
  readonly restarts: PodRestarts
  /** Milliseconds since the epoch. */
  readonly createdAt: number | undefined
}

/** @param rank number of active pods of the same owner on the pod's node. */
export const victimOf = (pod: Pod, rank: number): Victim => ({
  pod,
  node: pod.spec.nodeName ?? '',
  phase: PHASES[pod.status.phase ?? 'Pending'] ?? 0,
  readySince: readySince(pod),
  deletionCost: deletionCost(pod),
  rank,
  restarts: restartsOf(pod),
  createdAt: timeMillis(pod.metadata.creationTimestamp),
})

/**
 * Compares pods by the order in which a set that shrinks deletes them; negative if `a` is deleted first. Corresponds to
 * upstream's ActivePodsWithRanks with logarithmic ages: pods whose ages differ by less than a factor of two are ordered
 * by uid.
 * @param now milliseconds since the epoch.
 */
export function compareVictims(a: Victim, b: Victim, now: number): number {
  if (a.node !== b.node && (a.node === '' || b.node === '')) return a.node === '' ? -1 : 1
  return (
    a.phase - b.phase ||
    Number(a.readySince !== undefined) - Number(b.readySince !== undefined) ||
    a.deletionCost - b.deletionCost ||
    b.rank - a.rank ||
    compareTimes(a.readySince, b.readySince, now, a.pod, b.pod) ||
    compareRestarts(a.restarts, b.restarts) ||
    compareTimes(a.createdAt, b.createdAt, now, a.pod, b.pod)
  )
}

/**
 * Selects the pods that are deleted to shrink a set, in steps.
 * @param related all pods of the sets that have the same owner, to spread deletions over nodes.
 */
export function* victimsOf(pods: readonly Pod[], related: readonly Pod[], count: number, now: number): Steps<readonly Pod[]> {
  if (count >= pods.length) return pods
  const onNode = new Map<string, number>()
  for (const pod of related) {
    const { nodeName = '' } = pod.spec
    if (isPodActive(pod)) onNode.set(nodeName, (onNode.get(nodeName) ?? 0) + 1)
    if (isStepDone()) yield
  }
  const victims: Victim[] = []
  for (const pod of pods) {
    victims.push(victimOf(pod, onNode.get(pod.spec.nodeName ?? '') ?? 0))
    if (isStepDone()) yield
  }
  const sorted = yield* sortInSteps(victims, (a, b) => compareVictims(a, b, now))
  return sorted.slice(0, count).map(({ pod }) => pod)
}

function deletionCost({ metadata: { annotations } }: Pod): number {
  const text = annotations?.[DELETION_COST] ?? ''
  return /^(?:0|-?[1-9]\d*)$/.test(text) ? Number(parseInt64(text) ?? 0) : 0
}

/**
 * Orders a later time first, and an absent one before all. Equal times are equal. Times of similar age are ordered by
 * uid.
 */
function compareTimes(a: number | undefined, b: number | undefined, now: number, podA: Pod, podB: Pod): number {
  if (a === b) return 0
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1
  const difference = logarithmOfAge(a, now) - logarithmOfAge(b, now)
  if (difference !== 0) return difference
  return (podA.metadata.uid ?? '') < (podB.metadata.uid ?? '') ? -1 : 1
}

/** Integral binary logarithm of the age in nanoseconds. -1 for a time in the future. */
const logarithmOfAge = (time: number, now: number): number => (now > time ? Math.floor(Math.log2((now - time) * 1e6)) : -1)
