import type { DaemonSet, DaemonSetStatus } from '../../../api/apps/v1.types.ts'
import { isPodAvailable, isPodReady } from '../../shared/pods.ts'
import type { Placement } from './node-fit.ts'
import type { PodRules } from './placement.ts'
import { isUpdated, oldestOf } from './pod.ts'

const NONE: readonly never[] = []

/**
 * Returns the status of a daemon set. Of several pods of a node the oldest counts. @param isObserved whether this pass
 * has acted on the present spec.
 */
export function statusOf(set: DaemonSet, { nodes, pods }: Placement, rules: PodRules, isObserved: boolean): DaemonSetStatus {
  const counts = {
    desiredNumberScheduled: 0,
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
    updatedNumberScheduled: 0,
    numberAvailable: 0,
  }
  for (const [node, { shouldRun }] of nodes) {
    const pod = oldestOf(pods.get(node) ?? NONE)
    if (shouldRun) counts.desiredNumberScheduled++
    else if (pod) counts.numberMisscheduled++
    if (!shouldRun || !pod) continue
    counts.currentNumberScheduled++
    if (isPodReady(pod)) counts.numberReady++
    if (isPodAvailable(pod, rules.minReadySeconds, rules.now)) counts.numberAvailable++
    if (isUpdated(pod, rules)) counts.updatedNumberScheduled++
  }
  const { generation } = set.metadata
  return {
    ...set.status,
    ...counts,
    numberUnavailable: counts.desiredNumberScheduled - counts.numberAvailable,
    ...(isObserved && generation !== undefined && { observedGeneration: generation }),
  }
}

/** Whether writing the new status would change nothing. Zero counts are omitted when they are stored. */
export const isSameDaemonStatus = (a: DaemonSetStatus, b: DaemonSetStatus): boolean => {
  const values = (status: DaemonSetStatus): number[] =>
    [
      status.observedGeneration,
      status.desiredNumberScheduled,
      status.currentNumberScheduled,
      status.numberMisscheduled,
      status.numberReady,
      status.updatedNumberScheduled,
      status.numberAvailable,
      status.numberUnavailable,
    ].map(count => Number(count ?? 0))
  const before = values(a)
  return values(b).every((value, i) => value === before[i])
}
