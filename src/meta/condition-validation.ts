import type { Condition } from '../api/meta/v1.types.ts'
import type { FieldError } from './field-error.ts'
import { duplicate, invalid, notSupported, replacedSince, required, tooLongError, words } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import { isQualifiedName, longerThan, regexError } from './names.ts'

/** A condition of a kind that declares the members of metav1.Condition, some of them optional. */
export type MetaCondition = Readonly<Partial<Condition>>

const STATUSES = ['False', 'True', 'Unknown']
/** Detail of a value that is required. */
const UNSET = words('must be set', '')
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
  if (reason === '') return [required(path, UNSET)]
  return [
    ...(REASON_REGEX.test(reason) ? [] : [invalid(path, reason, reasonMessage)]),
    ...(longerThan(reason, REASON_LIMIT) ? [tooLongError(path, REASON_LIMIT)] : []),
  ]
}

/** Before 1.37 an empty type is reported by each rule of names that it violates. */
function typeErrors(type: string, path: FieldPath): FieldError[] {
  const errors = isQualifiedName(type).map(text => invalid(path, type, text))
  return type === ''
    ? errors.map((error, i) => replacedSince('1.37', error, () => (i === 0 ? required(path, 'is required') : undefined)))
    : errors
}

function statusErrors(status: string, path: FieldPath): FieldError[] {
  if (STATUSES.includes(status)) return []
  const error = notSupported(path, status, STATUSES)
  return [status === '' ? replacedSince('1.37', error, () => required(path)) : error]
}

/** `message` is limited in bytes. Absent members count as empty. */
function validateCondition(condition: MetaCondition, path: FieldPath): FieldError[] {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition
  return [
    ...typeErrors(type, path.child('type')),
    ...statusErrors(status, path.child('status')),
    ...(observedGeneration < 0
      ? [invalid(path.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero')]
      : []),
    ...(lastTransitionTime ? [] : [required(path.child('lastTransitionTime'), UNSET)]),
    ...validateConditionReason(reason, path.child('reason')),
    ...(longerThan(message, MESSAGE_LIMIT) ? [tooLongError(path.child('message'), MESSAGE_LIMIT)] : []),
  ]
}

/** ValidateConditions of metav1: types are unique, and each condition is valid. */
export function validateMetaConditions(conditions: readonly MetaCondition[] | undefined, path: FieldPath): FieldError[] {
  const types = new Set<string | undefined>()
  return (conditions ?? []).flatMap((condition, i) => {
    const at = path.index(i)
    const twice = types.has(condition.type)
      ? [replacedSince('1.37', duplicate(at.child('type'), condition.type), () => duplicate(at, condition.type))]
      : []
    types.add(condition.type)
    return [...twice, ...validateCondition(condition, at)]
  })
}
