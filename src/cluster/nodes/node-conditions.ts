import type { Node, NodeCondition } from '../../api/core/v1.types.ts'
import { deepEqual } from '../../meta/equal.ts'
import { formatTime } from '../../meta/time.ts'
import { CONDITIONS } from './annotations.ts'

/**
 * Status, reason and message of a condition while it is healthy, and while it is not. Source:
 * pkg/kubelet/nodestatus/setters.go.
 */
const REPORTS = {
  MemoryPressure: {
    healthy: ['False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
    unhealthy: ['True', 'KubeletHasInsufficientMemory', 'kubelet has insufficient memory available'],
  },
  DiskPressure: {
    healthy: ['False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
    unhealthy: ['True', 'KubeletHasDiskPressure', 'kubelet has disk pressure'],
  },
  PIDPressure: {
    healthy: ['False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
    unhealthy: ['True', 'KubeletHasInsufficientPID', 'kubelet has insufficient PID available'],
  },
  Ready: {
    healthy: ['True', 'KubeletReady', 'kubelet is posting ready status'],
    unhealthy: ['False', 'KubeletNotReady', 'container runtime is down'],
  },
} as const

type ConditionType = keyof typeof REPORTS

const TYPES: readonly ConditionType[] = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready']

/**
 * Returns the conditions that a kubelet reports now, after the present ones. A condition keeps the time of its last
 * transition if its status is the same. Conditions of other reporters are not returned: a strategic merge keeps them.
 */
export function nextConditions(
  { annotations }: Pick<Node['metadata'], 'annotations'>,
  present: readonly NodeCondition[],
  now: number,
): NodeCondition[] {
  const requested = annotations?.[CONDITIONS]?.split(',').map(each => each.trim()) ?? []
  const time = formatTime(now)
  return TYPES.map(type => {
    const { healthy, unhealthy } = REPORTS[type]
    const [status, reason, message] = requested.includes(`${type}=${unhealthy[0]}`) ? unhealthy : healthy
    const old = present.find(condition => condition.type === type)
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : time
    return { type, status, lastHeartbeatTime: time, lastTransitionTime, reason, message }
  })
}

/** Reasons of the events of a condition that becomes True, and that is no longer. */
const EVENT_REASONS: Readonly<Record<ConditionType, readonly [isTrue: string, isNot: string]>> = {
  MemoryPressure: ['NodeHasInsufficientMemory', 'NodeHasSufficientMemory'],
  DiskPressure: ['NodeHasDiskPressure', 'NodeHasNoDiskPressure'],
  PIDPressure: ['NodeHasInsufficientPID', 'NodeHasSufficientPID'],
  Ready: ['NodeReady', 'NodeNotReady'],
}

/**
 * Returns the reasons of the events with which a kubelet reports that conditions have changed. A node that had no
 * conditions has become ready. Source: pkg/kubelet/nodestatus/setters.go.
 */
export function conditionEvents(present: readonly NodeCondition[], next: readonly NodeCondition[]): string[] {
  return next.flatMap(({ type, status }) => {
    const old = present.find(condition => condition.type === type)
    const [isTrue, isNot] = EVENT_REASONS[type as ConditionType]
    if (old === undefined ? type !== 'Ready' : old.status === status) return []
    return [status === 'True' ? isTrue : isNot]
  })
}

/** Reports whether a node shows other conditions than its kubelet reports, apart from times. */
export function hasStaleConditions({ metadata, status }: Pick<Node, 'metadata' | 'status'>, now: number): boolean {
  const present = status.conditions ?? []
  const facts = ({ status: is, reason, message }: NodeCondition): unknown => ({ is, reason, message })
  return nextConditions(metadata, present, now).some(next => {
    const old = present.find(({ type }) => type === next.type)
    return old === undefined || !deepEqual(facts(old), facts(next))
  })
}
