import type { Pod } from '../../api/core/v1.types.ts'
import { podCondition } from '../shared/pods.ts'

/**
 * Returns the patch of a pod's status that reports a failure. Undefined if the status says so already.
 *
 * @param nominatedNode node on which a preemption makes room; empty if a nomination is void; undefined if it stays as
 * it is
 */
export function failureStatus(pod: Pod, reason: string, message: string, now: string, nominatedNode: string | undefined) {
  const old = podCondition(pod, 'PodScheduled')
  const isNominated = nominatedNode !== undefined && nominatedNode !== (pod.status.nominatedNodeName ?? '')
  if (old?.status === 'False' && old.reason === reason && old.message === message && !isNominated) return undefined
  const lastTransitionTime = old?.status === 'False' ? (old.lastTransitionTime ?? now) : now
  const condition = { type: 'PodScheduled', status: 'False', reason, message, lastProbeTime: null, lastTransitionTime }
  return { conditions: [condition], ...(isNominated && { nominatedNodeName: nominatedNode || null }) }
}
