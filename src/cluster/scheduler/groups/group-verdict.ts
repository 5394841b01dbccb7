import { isSince, type Release } from '../../../lifecycle/release.ts'

/** Progress of a group in a cycle. */
export interface GroupCounts {
  /** Number of pods that must have nodes. Undefined if each pod is scheduled by itself. */
  readonly minCount: number | undefined
  /** Number of pods that had nodes before the cycle. */
  readonly before: number
  /** Number of pods that got nodes in the cycle. */
  readonly placed: number
  /** Number of pods that have not been tried yet. */
  readonly remaining: number
}

/** Whether the pods of a group that have nodes are bound, and why not. */
export interface GroupVerdict {
  readonly isFeasible: boolean
  /** Whether it can become feasible with the pods that have not been tried yet. */
  readonly isPossible: boolean
  /** Text for the condition of the group. Empty if it is feasible. */
  readonly message: string
}

const UNSCHEDULABLE = 'pod group is unschedulable'

/** Returns whether a group is feasible. Source: PlacementFeasible and Permit of the plugin GangScheduling. */
export function groupVerdict(counts: GroupCounts, release: Release): GroupVerdict {
  return isSince(release, '1.37') ? placementVerdict(counts) : permitVerdict(counts)
}

/** 1.36: all pods are tried, and each pod that gets a node asks whether there are enough. */
function permitVerdict({ minCount = 0, before, placed }: GroupCounts): GroupVerdict {
  const isFeasible = placed > 0 && before + placed >= minCount
  return { isFeasible, isPossible: true, message: isFeasible ? '' : UNSCHEDULABLE }
}

/** Since 1.37: pods are tried until it is clear that there cannot be enough. */
function placementVerdict({ minCount = 1, before, placed, remaining }: GroupCounts): GroupVerdict {
  const scheduled = before + placed
  const counts = `${scheduled} scheduled, ${remaining} remaining`
  if (scheduled + remaining < minCount)
    return { isFeasible: false, isPossible: false, message: `${UNSCHEDULABLE}, minCount (${minCount}) cannot be satisfied: ${counts}` }
  if (scheduled < minCount)
    return { isFeasible: false, isPossible: true, message: `${UNSCHEDULABLE}, minCount (${minCount}) is not yet satisfied: ${counts}` }
  return { isFeasible: placed > 0, isPossible: true, message: placed > 0 ? '' : UNSCHEDULABLE }
}

/** Returns the text for a pod that got a node in vain. @param message text for the condition of the group */
export const memberMessage = (message: string, release: Release): string =>
  `${UNSCHEDULABLE}, ${isSince(release, '1.37') ? message : 'waiting for minCount pods from a gang to be scheduled'}`

/** The group is feasible once the victims of its pods are gone: in 1.36, where each pod preempts others by itself. */
export const AWAITING_VICTIMS: GroupVerdict = {
  isFeasible: false,
  isPossible: true,
  message: `${UNSCHEDULABLE}, pod group is waiting for preemption to complete`,
}

/** Returns the text for a group of which no placement is feasible. @param message that of the first placement */
export function noPlacement(count: number, release: Release): string {
  if (isSince(release, '1.37')) return `${UNSCHEDULABLE}, 0/${count} placements are available, reported placement status: ${UNSCHEDULABLE}`
  return `0/${count} placements are available, first placement status: ${UNSCHEDULABLE}`
}
