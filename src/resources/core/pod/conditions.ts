import { formatTime } from '../../../meta/time.ts'
import type { PodStatus } from '../v1.types.ts'

/** The time of the transition is set where the status changes. */
export interface NewCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
}

/** Sets a condition of a pod's status, in place; the transition time moves only with the status. The list is a new one. */
export function setPodCondition(status: PodStatus, condition: NewCondition, now: number): void {
  const conditions = [...(status.conditions ?? [])]
  const at = conditions.findIndex(({ type }) => type === condition.type)
  const old = conditions[at]
  const { type, status: value, ...rest } = condition
  const lastTransitionTime = old?.status === value ? old.lastTransitionTime : formatTime(now)
  conditions[at < 0 ? conditions.length : at] = { type, status: value, lastProbeTime: null, lastTransitionTime, ...rest }
  status.conditions = conditions
}
