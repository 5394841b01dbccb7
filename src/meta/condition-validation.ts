import type { Condition } from '../api/meta/v1.types.ts'
import type { FieldError } from './field-error.ts'
import { duplicate, invalid, notSupported, required, tooLongError } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import { isQualifiedName, longerThan, regexError } from './names.ts'

/** A condition of a kind that declares the members of metav1.Condition, some of them optional. */
export type MetaCondition = Readonly<Partial<Condition>>

const STATUSES = ['False', 'True', 'Unknown']
const REASON_LIMIT = 1024
const MESSAGE_LIMIT = 32 * 1024
const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?'
const REASON_REGEX = new RegExp(`^${REASON}$`)
const reasonMessage = regexError(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  REASON,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
)

/** Validates the reason of a condition: required, at most 1 KiB of letters, digits and `_,:`. */
export function validateConditionReason(reason: string, path: FieldPath): FieldError[] {
  if (reason === '') return [required(path, 'must be set')]
  return [
    ...(REASON_REGEX.test(reason) ? [] : [invalid(path, reason, reasonMessage)]),
    ...(longerThan(reason, REASON_LIMIT) ? [tooLongError(path, REASON_LIMIT)] : []),
  ]
}

function validateCondition(condition: MetaCondition, path: FieldPath): FieldError[] {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition
  return [
    ...isQualifiedName(type).map(text => invalid(path.child('type'), type, text)),
    ...(STATUSES.includes(status) ? [] : [notSupported(path.child('status'), status, STATUSES)]),
    ...(observedGeneration < 0 ? [invalid(path.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero')] : []),
    ...(lastTransitionTime ? [] : [required(path.child('lastTransitionTime'), 'must be set')]),
    ...validateConditionReason(reason, path.child('reason')),
    ...(longerThan(message, MESSAGE_LIMIT) ? [tooLongError(path.child('message'), MESSAGE_LIMIT)] : []),
  ]
}

/** ValidateConditions of metav1: types are unique, and each condition is valid. */
export function validateMetaConditions(conditions: readonly MetaCondition[] | undefined, path: FieldPath): FieldError[] {
  const types = new Set<string | undefined>()
  return (conditions ?? []).flatMap((condition, i) => {
    const at = path.index(i)
    const twice = types.has(condition.type) ? [duplicate(at.child('type'), condition.type)] : []
    types.add(condition.type)
    return [...twice, ...validateCondition(condition, at)]
  })
}
