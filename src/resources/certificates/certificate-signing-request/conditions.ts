import { formatTime } from '../../../meta/time.ts'
import type { CertificateSigningRequest, CertificateSigningRequestCondition as Condition } from '../v1.types.ts'

/** The conditions that decide about a request. The first two exclude each other; all three stay once they are set. */
export const APPROVED = 'Approved'
/** Whoever decides has refused the request. */
export const DENIED = 'Denied'
/** The signer could not issue the certificate. */
export const FAILED = 'Failed'

export const allConditions = ({ status }: CertificateSigningRequest): Condition[] => status.conditions ?? []
export const conditionsOf = (request: CertificateSigningRequest, type: string): Condition[] =>
  allConditions(request).filter(condition => condition.type === type)

const identityOf = ({ type, status }: Condition): string => JSON.stringify([type, status])

/** Fills in times that are not given: the update is now; a transition keeps the time of the first old condition of the same type and status, and else is now. */
export function setConditionTimes(next: CertificateSigningRequest, old: CertificateSigningRequest, now: number): void {
  const before = new Map<string, Condition>()
  for (const condition of allConditions(old)) {
    const identity = identityOf(condition)
    if (condition.lastTransitionTime && !before.has(identity)) before.set(identity, condition)
  }
  for (const condition of allConditions(next)) {
    condition.lastUpdateTime ||= formatTime(now)
    if (condition.lastTransitionTime) continue
    condition.lastTransitionTime = before.get(identityOf(condition))?.lastTransitionTime ?? formatTime(now)
  }
}

/** Puts the old conditions of the type in the place of the new ones, where there are as many; otherwise validation reports what was added or removed. */
export function keepConditions(next: CertificateSigningRequest, old: CertificateSigningRequest, type: string): void {
  const before = conditionsOf(old, type)
  if (before.length === 0 || conditionsOf(next, type).length !== before.length) return
  let at = 0
  next.status.conditions = allConditions(next).map(condition => (condition.type === type ? (before[at++] ?? condition) : condition))
}
