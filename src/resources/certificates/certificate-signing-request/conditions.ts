import type { CertificateSigningRequest, CertificateSigningRequestCondition as Condition } from '../../../api/certificates/v1.types.ts'
import { formatTime } from '../../../meta/time.ts'

/** Condition of an approved request. Excludes Denied. These three conditions are never removed. */
export const APPROVED = 'Approved'
/** Condition of a request that the approver has denied. */
export const DENIED = 'Denied'
/** Condition of a request for which the signer could not issue a certificate. */
export const FAILED = 'Failed'

export const allConditions = ({ status }: CertificateSigningRequest): Condition[] => status.conditions ?? []
export const conditionsOf = (request: CertificateSigningRequest, type: string): Condition[] =>
  allConditions(request).filter(condition => condition.type === type)

const conditionIdentity = ({ type, status }: Condition): string => JSON.stringify([type, status])

/**
 * Sets missing times. The update time is now; the transition time is that of the first old condition with the same type
 * and status, or else now.
 */
export function setConditionTimes(next: CertificateSigningRequest, old: CertificateSigningRequest, now: number): void {
  const before = new Map<string, Condition>()
  for (const condition of allConditions(old)) {
    const identity = conditionIdentity(condition)
    if (condition.lastTransitionTime && !before.has(identity)) before.set(identity, condition)
  }
  for (const condition of allConditions(next)) {
    condition.lastUpdateTime ||= formatTime(now)
    if (condition.lastTransitionTime) continue
    condition.lastTransitionTime = before.get(conditionIdentity(condition))?.lastTransitionTime ?? formatTime(now)
  }
}

/**
 * Restores the old conditions of a type, if the new object has as many of them. Otherwise validation reports conditions
 * that were added or removed.
 */
export function keepConditions(next: CertificateSigningRequest, old: CertificateSigningRequest, type: string): void {
  const before = conditionsOf(old, type)
  if (before.length === 0 || conditionsOf(next, type).length !== before.length) return
  let at = 0
  next.status.conditions = allConditions(next).map(condition => (condition.type === type ? (before[at++] ?? condition) : condition))
}
