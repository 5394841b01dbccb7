import { validateConditions } from '../../../meta/condition-validation.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'

/** What type checking reports has a place and a text. The place is a path of kubectl's JSONPath, which is not parsed here. */
export function validatePolicyStatus({ status }: KubeObject): FieldError[] {
  const path = fieldPath('status')
  const warnings: KubeObject['spec'][] = status?.typeChecking?.expressionWarnings ?? []
  const errors = warnings.flatMap(({ fieldRef = '', warning }, i) => {
    const at = path.child('typeChecking', 'expressionWarnings').index(i)
    return [...(warning ? [] : [required(at.child('warning'))]), ...(fieldRef.trim() === '' ? [required(at.child('fieldRef'))] : [])]
  })
  return [...errors, ...validateConditions(status?.conditions, path.child('conditions'))]
}
