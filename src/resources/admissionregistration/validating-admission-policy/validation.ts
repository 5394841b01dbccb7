import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, invalid, notSupported, quote, required, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName, longerThan } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validatePolicyConditions, validatePolicyStart } from '../policy-validation.ts'
import { validateVariables } from '../variables.ts'

type ApiStruct = KubeObject['spec']

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const MAX_ANNOTATIONS = 20
const MAX_VALUE_EXPRESSION = 5 * 1024
const NOTHING_TO_CHECK = 'validations or auditAnnotations must contain at least one item'

/** Presence of the expressions and what stands beside them; whether they compile, and to what type, waits for a compiler of CEL. */
function validateValidation({ expression = '', message = '', reason, messageExpression = '' }: ApiStruct, path: FieldPath): FieldError[] {
  const errors: FieldError[] = expression.trim() === '' ? [required(path.child('expression'), 'expression is not specified')] : []
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(invalid(path.child('messageExpression'), messageExpression, 'must be non-empty if specified'))
  }
  if (message !== '' && message.trim() === '') errors.push(invalid(path.child('message'), message, 'message must be non-empty if specified'))
  else if (/[\n\r]/.test(message.trim())) errors.push(invalid(path.child('message'), message, 'message must not contain line breaks'))
  if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(path.child('reason'), reason, REASONS))
  return errors
}

const printAnnotation = ({ key = '', valueExpression = '' }: ApiStruct): string =>
  `admissionregistration.AuditAnnotation{Key:${quote(key)}, ValueExpression:${quote(valueExpression)}}`

function validateAnnotations(annotations: readonly ApiStruct[], policy: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (annotations.length > MAX_ANNOTATIONS) {
    const printed = verbatim(`[]admissionregistration.AuditAnnotation{${annotations.map(printAnnotation).join(', ')}}`)
    errors.push(invalid(path, printed, `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`))
  }
  const seen = new Set<string>()
  for (const [i, { key = '', valueExpression = '' }] of annotations.entries()) {
    const at = path.index(i)
    if (policy === '') errors.push(invalid(at.child('key'), key, 'requires metadata.name be non-empty'))
    else errors.push(...isQualifiedName(`${policy}/${key}`).map(text => invalid(at.child('key'), `${policy}/${key}`, text)))
    const value = valueExpression.trim()
    if (value === '') errors.push(required(at.child('valueExpression'), 'valueExpression is not specified'))
    else if (longerThan(value, MAX_VALUE_EXPRESSION)) {
      errors.push(required(at.child('valueExpression'), `must not exceed ${MAX_VALUE_EXPRESSION} bytes in length`))
    }
    if (seen.has(key)) errors.push(duplicate(at.child('key'), key))
    seen.add(key)
  }
  return errors
}

function validateChecks(spec: ApiStruct, name: string, path: FieldPath): FieldError[] {
  const validations: ApiStruct[] = spec.validations ?? []
  const annotations: ApiStruct[] = spec.auditAnnotations ?? []
  const at = path.child('validations')
  if (validations.length === 0 && annotations.length === 0) return [required(at, NOTHING_TO_CHECK), required(path.child('auditAnnotations'), NOTHING_TO_CHECK)]
  return [
    ...validations.flatMap((validation, i) => validateValidation(validation, at.index(i))),
    ...validateAnnotations(annotations, name, path.child('auditAnnotations')),
  ]
}

export function validatePolicy(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const path = fieldPath('spec')
  const spec: ApiStruct = next.spec ?? {}
  return [
    ...validatePolicyStart(spec, path),
    ...validatePolicyConditions(next, old, path),
    ...validateVariables(spec.variables, path.child('variables')),
    ...validateChecks(spec, next.metadata.name ?? '', path),
  ]
}
