import type { Pod } from '../../../api/core/v1.types.ts'
import { parseInt64 } from '../../../lib/integer.ts'
import { timeMillis } from '../../../meta/time.ts'
import { isPodReady, mostRestarts, readySince } from '../../shared/pods.ts'

/** Annotation with the cost of deleting a pod: pods with a lower one are deleted first. Default: 0. */
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'

const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/** A pod that may be deleted. */
export interface RankedPod {
  readonly pod: Pod
  /** Number of pods of the same owner on its node. */
  readonly rank: number
}

/**
 * Compares pods by the order in which a set that shrinks deletes them; negative if `a` is deleted first. Corresponds to
 * upstream's ActivePodsWithRanks with logarithmic ages: pods whose ages differ by less than a factor of two are ordered
 * by uid.
 * @param now milliseconds since the epoch.
 */
export function compareVictims(a: RankedPod, b: RankedPod, now: number): number {
  const nodes = [a.pod.spec.nodeName ?? '', b.pod.spec.nodeName ?? ''] as const
  if (nodes[0] !== nodes[1] && (nodes[0] === '' || nodes[1] === '')) return nodes[0] === '' ? -1 : 1
  return (
    phaseOf(a.pod) - phaseOf(b.pod) ||
    Number(isPodReady(a.pod)) - Number(isPodReady(b.pod)) ||
    deletionCost(a.pod) - deletionCost(b.pod) ||
    b.rank - a.rank ||
    compareTimes(readySince(a.pod), readySince(b.pod), now, a.pod, b.pod) ||
    mostRestarts(b.pod) - mostRestarts(a.pod) ||
    compareTimes(createdAt(a.pod), createdAt(b.pod), now, a.pod, b.pod)
  )
}

/**
 * Selects the pods that are deleted to shrink a set.
 * @param related all pods of the sets that have the same owner, to spread deletions over nodes.
 */
export function victimsOf(pods: readonly Pod[], related: readonly Pod[], count: number, now: number): readonly Pod[] {
  if (count >= pods.length) return pods
  const onNode = new Map<string, number>()
  for (const { spec } of related) onNode.set(spec.nodeName ?? '', (onNode.get(spec.nodeName ?? '') ?? 0) + 1)
  return pods
    .map((pod): RankedPod => ({ pod, rank: onNode.get(pod.spec.nodeName ?? '') ?? 0 }))
    .toSorted((a, b) => compareVictims(a, b, now))
    .slice(0, count)
    .map(({ pod }) => pod)
}

const phaseOf = ({ status: { phase = 'Pending' } }: Pod): number => PHASES[phase] ?? 0

const createdAt = ({ metadata }: Pod): number | undefined => timeMillis(metadata.creationTimestamp)

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
