import type { JsonObject } from '../../../api/meta/object.ts'
import { objectIn } from '../../../api/meta/object.ts'
import { objectsIn } from '../../../meta/json-members.ts'

const ACCEPTED = 'Accepted'

/**
 * Returns the conditions of an object of kwok with the one that says whether it takes effect, or undefined if they say
 * so already.
 * @param fault reason why it takes no effect.
 * @param now RFC 3339.
 */
export function acceptedConditions(object: JsonObject, fault: string | undefined, now: string): JsonObject[] | undefined {
  const conditions = objectsIn(objectIn(object.status).conditions)
  const before = conditions.find(({ type }) => type === ACCEPTED)
  const after =
    fault !== undefined
      ? { type: ACCEPTED, status: 'False', reason: 'Invalid', message: fault.slice(0, 4_000) }
      : { type: ACCEPTED, status: 'True', reason: 'Valid', message: 'the object takes effect' }
  if (before?.status === after.status && before.message === after.message && before.reason === after.reason) return undefined
  const lastTransitionTime =
    before?.status === after.status && typeof before.lastTransitionTime === 'string' ? before.lastTransitionTime : now
  return [...conditions.filter(({ type }) => type !== ACCEPTED), { ...after, lastTransitionTime }]
}
