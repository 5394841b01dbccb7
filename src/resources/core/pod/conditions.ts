import type { PodStatus } from '../../../api/core/v1.types.ts'
import { formatTime } from '../../../meta/time.ts'

/** A condition to set. Its transition time is derived from the change of status. */
export interface NewCondition {
  /** Key of the condition: a pod has at most one of each type. */
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  /** Optional. Without it an existing condition of the type loses its reason. */
  readonly reason?: string
  /** Optional. Without it an existing condition of the type loses its message. */
  readonly message?: string
}

/**
 * Sets a condition in the status of a pod. The status is changed in place, but its list is replaced. The transition
 * time changes only if the condition's status does.
 */
export function setPodCondition(status: PodStatus, condition: NewCondition, now: number): void {
  const conditions = [...(status.conditions ?? [])]
  const at = conditions.findIndex(({ type }) => type === condition.type)
  const old = conditions[at]
  const { type, status: value, ...rest } = condition
  const lastTransitionTime = old?.status === value ? old.lastTransitionTime : formatTime(now)
  conditions[at < 0 ? conditions.length : at] = { type, status: value, lastProbeTime: null, lastTransitionTime, ...rest }
  status.conditions = conditions
}
