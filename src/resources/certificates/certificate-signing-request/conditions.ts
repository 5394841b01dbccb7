import type { KubeObject } from '../../../meta/object.ts'
import { formatTime } from '../../../meta/time.ts'
import type { ApiStruct } from '../../core/checks.ts'

export const APPROVED = 'Approved'
export const DENIED = 'Denied'
export const FAILED = 'Failed'

export const allConditions = ({ status }: KubeObject): ApiStruct[] => status?.conditions ?? []
export const conditionsOf = (request: KubeObject, type: string): ApiStruct[] => allConditions(request).filter(condition => condition.type === type)

/** Times that are not given: now, or when the condition came to its status. */
export function setConditionTimes(next: KubeObject, old: KubeObject, now: number): void {
  for (const condition of allConditions(next)) {
    condition.lastUpdateTime ||= formatTime(now)
    if (condition.lastTransitionTime) continue
    const before = conditionsOf(old, condition.type).find(({ status, lastTransitionTime }) => status === condition.status && lastTransitionTime)
    condition.lastTransitionTime = before?.lastTransitionTime ?? formatTime(now)
  }
}

/** Puts the old conditions of the type in the place of the new ones, where there are as many. */
export function keepConditions(next: KubeObject, old: KubeObject, type: string): void {
  const before = conditionsOf(old, type)
  if (before.length === 0 || conditionsOf(next, type).length !== before.length) return
  const left = [...before]
  next.status.conditions = allConditions(next).map(condition => (condition.type === type ? left.shift() : condition))
}
