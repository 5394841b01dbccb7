import type { DeviceTaint, DeviceToleration } from '../../api/resource/v1beta2.types.ts'
import { enumValues, enumValuesIn } from '../../catalog/types.ts'
import type { Release } from '../../lifecycle/release.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { covered, invalid, notSupported, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isQualifiedName, isValidLabelValue } from '../../meta/names.ts'
import { formatTime } from '../../meta/time.ts'
import { validateOneOf } from '../shared/word-lists.ts'
import { invalidFor } from './names.ts'

const OPERATORS = enumValues('resource.DeviceTolerationOperator')

const validateEffect = (effect: string, release: Release, path: FieldPath): FieldError[] =>
  covered('', validateOneOf(effect, enumValuesIn(release, 'resource.DeviceTaintEffect'), path))

/** Sets the time of a taint that has none. */
export function setTimeAdded(taint: DeviceTaint, now: number): void {
  taint.timeAdded ??= formatTime(now)
}

/** Validates a taint like that of a node, except for its effects. */
export function validateTaint({ key, value = '', effect }: DeviceTaint, release: Release, path: FieldPath): FieldError[] {
  return [
    ...invalidFor(isQualifiedName(key), key, path.child('key')),
    ...invalidFor(isValidLabelValue(value), value, path.child('value')),
    ...(effect === '' ? covered('', [required(path.child('effect'))]) : validateEffect(effect, release, path.child('effect'))),
  ]
}

/** Validates operator and value: `Exists` takes no value, `Equal` a label value, which may be empty. */
function validateOperator({ operator, value = '' }: DeviceToleration, path: FieldPath): FieldError[] {
  switch (operator) {
    case 'Exists':
      return value === '' ? [] : [invalid(path.child('value'), value, 'must be empty for operator `Exists`')]
    case 'Equal':
      return invalidFor(isValidLabelValue(value), value, path.child('value'))
    default:
      return covered('', [notSupported(path.child('operator'), operator, OPERATORS)])
  }
}

/** Validates a toleration like that of a pod. An empty effect tolerates all effects. */
export function validateToleration(toleration: DeviceToleration, release: Release, path: FieldPath): FieldError[] {
  const { key, effect } = toleration
  return [
    ...(key === undefined ? [] : covered('format=k8s-label-key', invalidFor(isQualifiedName(key), key, path.child('key')))),
    ...validateOperator(toleration, path),
    ...(effect === undefined ? [] : validateEffect(effect, release, path.child('effect'))),
  ]
}
