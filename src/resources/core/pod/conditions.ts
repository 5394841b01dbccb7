import type { KubeObject } from '../../../meta/object.ts'
import { formatTime } from '../../../meta/time.ts'
import type { ApiStruct } from '../checks.ts'

export interface NewCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
}

/** Sets a condition of a pod's status, in place; the transition time moves only with the status. The list is a new one. */
export function setPodCondition(pod: KubeObject, condition: NewCondition, now: number): void {
  pod.status ??= {}
  const conditions: ApiStruct[] = [...(pod.status.conditions ?? [])]
  const at = conditions.findIndex(({ type }) => type === condition.type)
  const old = conditions[at]
  const { type, status, ...rest } = condition
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : formatTime(now)
  conditions[at < 0 ? conditions.length : at] = { type, status, lastProbeTime: null, lastTransitionTime, ...rest }
  pod.status.conditions = conditions
}
