import type { NodeCondition } from '../../../api/core/v1.types.ts'
import { formatTime } from '../../../meta/time.ts'

/** Types of the conditions that become Unknown when a node is lost. */
const WATCHED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/**
 * Conditions of a node whose kubelet has not been heard of: those that are not Unknown yet become so. Others are
 * kept. @param created creation time of the node.
 */
export function lostConditions(conditions: readonly NodeCondition[], created: string | null, now: number): NodeCondition[] {
  const next = [...conditions]
  for (const type of WATCHED) {
    const index = next.findIndex(condition => condition.type === type)
    const known = next[index]
    if (!known) next.push(neverUpdated(type, created, now))
    else if (known.status !== 'Unknown')
      next[index] = {
        ...known,
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
        lastTransitionTime: formatTime(now),
      }
  }
  return next
}

const neverUpdated = (type: string, created: string | null, now: number): NodeCondition => ({
  type,
  status: 'Unknown',
  lastHeartbeatTime: created,
  lastTransitionTime: formatTime(now),
  reason: 'NodeStatusNeverUpdated',
  message: 'Kubelet never posted node status.',
})
