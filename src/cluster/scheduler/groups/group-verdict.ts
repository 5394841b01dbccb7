import { isSince, type Release } from '../../../lifecycle/release.ts'

/** Progress of a group in a cycle. Its members are pods, or the groups of a composite group. */
export interface GroupCounts {
  /** Number of members that must be scheduled. Undefined if each is scheduled by itself. */
  readonly minCount: number | undefined
  /** Number of pods that had nodes before the cycle. */
  readonly before: number
  /** Number of pods that got nodes in the cycle, or of groups that are feasible. */
  readonly placed: number
  /** Number of members that have not been tried yet. */
  readonly remaining: number
}

/** Whether the pods of a group that have nodes are bound, and why not. */
export interface GroupVerdict {
  readonly isFeasible: boolean
  /** Whether it can become feasible with the members that have not been tried yet. */
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

/** Since 1.37: members are tried until it is clear that there cannot be enough. */
function placementVerdict({ minCount = 1, before, placed, remaining }: GroupCounts): GroupVerdict {
  const scheduled = before + placed
  const counts = `${scheduled} scheduled, ${remaining} remaining`
  if (scheduled + remaining < minCount)
    return { isFeasible: false, isPossible: false, message: `${UNSCHEDULABLE}, minCount (${minCount}) cannot be satisfied: ${counts}` }
  if (scheduled < minCount)
    return { isFeasible: false, isPossible: true, message: `${UNSCHEDULABLE}, minCount (${minCount}) is not yet satisfied: ${counts}` }
  return { isFeasible: true, isPossible: true, message: '' }
}

/** Enough pods have nodes, but no further pod gets one in the cycle. */
export const NOTHING_PLACED: GroupVerdict = { isFeasible: false, isPossible: true, message: UNSCHEDULABLE }

/** Returns the text for a pod that got a node in vain. @param message text for the condition of the group */
export const memberMessage = (message: string, release: Release): string =>
  `${UNSCHEDULABLE}, ${isSince(release, '1.37') ? message : 'waiting for minCount pods from a gang to be scheduled'}`

/** The group is feasible once the victims of its pods are gone: in 1.36, where each pod preempts others by itself. */
export const AWAITING_VICTIMS: GroupVerdict = {
  isFeasible: false,
  isPossible: true,
  message: `${UNSCHEDULABLE}, pod group is waiting for preemption to complete`,
}

/**
 * Returns the text for a group of which no placement is feasible. @param reason of the first placement, for a composite
 * group
 */
export function noPlacement(count: number, release: Release, reason?: string): string {
  const available = `0/${count} placements are available`
  if (reason !== undefined) return `${UNSCHEDULABLE}, ${available}, first placement status: ${reason.replace(`${UNSCHEDULABLE}, `, '')}`
  if (isSince(release, '1.37')) return `${UNSCHEDULABLE}, ${available}, reported placement status: ${UNSCHEDULABLE}`
  return `${available}, first placement status: ${UNSCHEDULABLE}`
}
