import type { Pod } from '../../api/core/v1.types.ts'
import type { Features } from '../../lifecycle/gates.ts'
import { deepEqual } from '../../meta/equal.ts'
import { podCondition, withGeneration } from '../shared/pods.ts'

/** A pod could not be scheduled. */
export interface AttemptFailure {
  readonly reason: 'Unschedulable' | 'SchedulerError'
  readonly message: string
  /** Optional. Node on which a preemption makes room; empty if a nomination is void. Omitted if it stays as it is. */
  readonly nominatedNode?: string | undefined
}

/** Returns the patch of a pod's status that reports a failure. Undefined if the status says so already. */
export function failureStatus(
  pod: Pod,
  { reason, message, nominatedNode }: AttemptFailure,
  now: string,
  features: Pick<Features, 'enabled'>,
) {
  const old = podCondition(pod, 'PodScheduled')
  const isNominated = nominatedNode !== undefined && nominatedNode !== (pod.status.nominatedNodeName ?? '')
  const lastTransitionTime = old?.status === 'False' ? (old.lastTransitionTime ?? now) : now
  const condition = withGeneration(
    { type: 'PodScheduled', status: 'False', reason, message, lastProbeTime: null, lastTransitionTime },
    pod,
    features,
  )
  if (old && !isNominated && deepEqual({ ...old, lastProbeTime: null }, condition)) return undefined
  return { conditions: [condition], ...(isNominated && { nominatedNodeName: nominatedNode || null }) }
}
