import type { MigrationCondition } from '../../../api/storagemigration/v1alpha1.types.ts'
import { validateConditionReason } from '../../../meta/condition-validation.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, invalid, notSupported, required, tooLongError } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName, longerThan } from '../../../meta/names.ts'

const STATUSES = ['False', 'True', 'Unknown']
const MAX_MESSAGE = 32 * 1024

/** A migration in any version. */
interface WithConditions {
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

/** Reports whether the condition of this type is true: the migration is running, succeeded or failed. */
export const conditionIsTrue = ({ status }: WithConditions, type: string): boolean =>
  status.conditions?.find(condition => condition.type === type)?.status === 'True'

/** Validates a condition. A missing lastUpdateTime is reported for `lastTransitionTime`, the name in metav1. */
function validateCondition({ type, status, lastUpdateTime, reason = '', message = '' }: MigrationCondition, path: FieldPath): FieldError[] {
  const errors = isQualifiedName(type).map(text => invalid(path.child('type'), type, text))
  if (!STATUSES.includes(status)) errors.push(notSupported(path.child('status'), status, STATUSES))
  if (!lastUpdateTime) errors.push(required(path.child('lastTransitionTime')))
  if (reason === '') errors.push(required(path.child('reason')))
  else errors.push(...validateConditionReason(reason, path.child('reason')))
  if (longerThan(message, MAX_MESSAGE)) errors.push(tooLongError(path.child('message'), MAX_MESSAGE))
  return errors
}

/**
 * Validates conditions, whose types must be unique. The rules are those of metav1's conditions, whose messages have
 * another name for the time. Source: pkg/apis/storagemigration/validation in k8s.io/kubernetes.
 */
export function validateMigrationConditions(conditions: readonly MigrationCondition[], path: FieldPath): FieldError[] {
  const seen = new Set<string>()
  return conditions.flatMap((condition, i) => {
    const at = path.index(i)
    const again = seen.has(condition.type) ? [duplicate(at.child('type'), condition.type)] : []
    seen.add(condition.type)
    return [...again, ...validateCondition(condition, at)]
  })
}
