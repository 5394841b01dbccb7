import type { FieldError } from '../../meta/field-error.ts'
import { invalid, notSupported, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isQualifiedName, isValidLabelValue } from '../../meta/names.ts'
import type { KubeObject } from '../../meta/object.ts'
import { formatTime } from '../../meta/time.ts'

type ApiStruct = KubeObject['spec']

const EFFECTS = ['NoExecute', 'NoSchedule']

const each = (texts: readonly string[], value: string, path: FieldPath): FieldError[] => texts.map(text => invalid(path, value, text))
const validateEffect = (effect: string, path: FieldPath): FieldError[] => (EFFECTS.includes(effect) ? [] : [notSupported(path, effect, EFFECTS)])

/** A taint that does not say since when it is there is there since now. */
export function setTimeAdded(taint: ApiStruct | undefined, now: number): void {
  if (taint) taint.timeAdded ??= formatTime(now)
}

export function validateTaint({ key = '', value = '', effect = '' }: ApiStruct, path: FieldPath): FieldError[] {
  return [
    ...each(isQualifiedName(key), key, path.child('key')),
    ...each(isValidLabelValue(value), value, path.child('value')),
    ...(effect === '' ? [required(path.child('effect'))] : validateEffect(effect, path.child('effect'))),
  ]
}

function validateOperator({ operator = '', value = '' }: ApiStruct, path: FieldPath): FieldError[] {
  switch (operator) {
    case 'Exists':
      return value === '' ? [] : [invalid(path.child('value'), value, 'must be empty for operator `Exists`')]
    case 'Equal':
      return each(isValidLabelValue(value), value, path.child('value'))
    case '':
      return [required(path.child('operator'))]
    default:
      return [notSupported(path.child('operator'), operator, ['Equal', 'Exists'])]
  }
}

export function validateToleration(toleration: ApiStruct, path: FieldPath): FieldError[] {
  const { key = '', effect = '' } = toleration
  return [
    ...(key === '' ? [] : each(isQualifiedName(key), key, path.child('key'))),
    ...validateOperator(toleration, path),
    ...(effect === '' ? [] : validateEffect(effect, path.child('effect'))),
  ]
}
