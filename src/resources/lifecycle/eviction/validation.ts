import type { EvictionStatus, Requester } from '../../../api/lifecycle/v1alpha1.types.ts'
import type { Condition } from '../../../api/meta/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { duplicate, type FieldError, forbidden, invalid, tooMany } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { goMember } from '../../shared/go-values.ts'
import { validateObserved, validatePrefixedKey, validateRequiredEnum } from '../rules.ts'
import { validateResponders } from './responders.ts'

const MOST_REQUESTERS = 100
const EVICTED = 'TargetEvicted'
const FAILED = 'Failed'

const find = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find(condition => condition.type === type)

/** Checks that a final condition stays. Returns the types that are final. */
function finalConditions(next: EvictionStatus, old: EvictionStatus, path: FieldPath): { final: ReadonlySet<string>; errors: FieldError[] } {
  const final = new Set([EVICTED, FAILED].filter(type => find(next.conditions, type)?.status === 'True'))
  const errors = (old.conditions ?? []).flatMap(condition => {
    const { type, status } = condition
    if ((type !== EVICTED && type !== FAILED) || status !== 'True' || deepEqual(condition, find(next.conditions, type))) return []
    final.add(type)
    return [
      invalid(path, goMember('lifecycle.EvictionStatus', 'conditions', next.conditions), `${type} condition status cannot be reverted`),
    ]
  })
  return { final, errors }
}

/** Validates requesters, which are not removed. */
function validateRequesters(next: readonly Requester[], old: readonly Requester[], path: FieldPath): FieldError[] {
  if (next.length > MOST_REQUESTERS) return [tooMany(path, next.length, MOST_REQUESTERS)]
  const names = new Set(next.map(({ name }) => name))
  const removed = old.filter(({ name }) => !names.has(name))
  if (removed.length > 0) return removed.map(() => forbidden(path, 'item may not be removed'))
  const seen = new Set<string>()
  return next.flatMap((requester, i) => {
    const at = path.index(i)
    const again = seen.has(requester.name) ? [duplicate(at, requester)] : []
    seen.add(requester.name)
    return [
      ...again,
      ...validatePrefixedKey(requester.name, at.child('name')),
      ...validateRequiredEnum(requester.intent, enumValues('lifecycle.RequesterIntent'), at.child('intent')),
    ]
  })
}

/** Validates the status of an eviction. `now` is in milliseconds. */
export function validateEvictionStatus(next: EvictionStatus, old: EvictionStatus, now: number): FieldError[] {
  const path = fieldPath('status')
  const { final, errors } = finalConditions(next, old, path.child('conditions'))
  return [
    ...validateObserved(next, old, path),
    ...errors,
    ...validateRequesters(next.requesters ?? [], old.requesters ?? [], path.child('requesters')),
    ...validateResponders(next, old, { now, isFinal: final.size > 0 }),
  ]
}
