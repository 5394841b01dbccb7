import type { HorizontalPodAutoscalerCondition } from '../../../api/autoscaling/v2.types.ts'
import { formatTime } from '../../../meta/time.ts'

/** Condition without the time of its last change. */
export type ConditionState = Pick<HorizontalPodAutoscalerCondition, 'type' | 'status' | 'reason' | 'message'>

export const ableToScale = (status: 'True' | 'False', reason: string, message: string): ConditionState => ({
  type: 'AbleToScale',
  status,
  reason,
  message,
})
export const scalingActive = (status: 'True' | 'False', reason: string, message: string): ConditionState => ({
  type: 'ScalingActive',
  status,
  reason,
  message,
})
export const scalingLimited = (status: 'True' | 'False', reason: string, message: string): ConditionState => ({
  type: 'ScalingLimited',
  status,
  reason,
  message,
})

/** Sets conditions of a list, in order. The time of a condition changes with its status. */
export function withConditions(
  old: readonly HorizontalPodAutoscalerCondition[],
  changes: readonly ConditionState[],
  now: number,
): HorizontalPodAutoscalerCondition[] {
  const conditions = [...old]
  for (const change of changes) {
    const index = conditions.findIndex(({ type }) => type === change.type)
    const known = conditions[index]
    const lastTransitionTime = known?.status === change.status ? known.lastTransitionTime : formatTime(now)
    const next = { ...known, ...change, lastTransitionTime }
    if (known) conditions[index] = next
    else conditions.push(next)
  }
  return conditions
}

/** Formats a value in thousandths as a quantity. */
export const milliQuantity = (value: number): string => (value % 1000 === 0 ? String(value / 1000) : `${value}m`)
