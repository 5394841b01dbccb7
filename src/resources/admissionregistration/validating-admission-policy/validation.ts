import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
} from '../../../api/admissionregistration/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { BOOL, NULL, STRING, type Type } from '../../../cel/type.ts'
import { quote } from '../../../lib/go-quote.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, invalid, notSupported, required, verbatim, words } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName, longerThan } from '../../../meta/names.ts'
import { oldestReader } from '../../shared/oldest-reader.ts'
import { storedTexts, validateExpression } from '../expressions.ts'
import { validatePolicyConditions, validatePolicyStart } from '../policy-validation.ts'
import { validateVariables } from '../variables.ts'

/** Reasons of a refusal, which determine its status code. */
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
/** Limit per policy. */
const MAX_ANNOTATIONS = 20
/** Bytes of an expression without surrounding white space. */
const MAX_VALUE_EXPRESSION = 5 * 1024
/** Message about both lists, since either would do. */
const NOTHING_TO_CHECK = 'validations or auditAnnotations must contain at least one item'

/** Variables that the expressions of a policy may use, and the expressions of the old object, by use. */
interface PolicyUse {
  /** Whether the policy has a kind of parameters. */
  readonly params: boolean
  /** Optional. Types of the composition variables, filled while they are validated, in order. */
  readonly variables?: ReadonlyMap<string, Type>
  /** Texts that the old object has. They may use functions of any release. */
  readonly stored: {
    readonly validations: ReadonlySet<string>
    readonly messages: ReadonlySet<string>
    readonly annotations: ReadonlySet<string>
  }
  /** Features, whose release bounds the functions of new expressions. */
  readonly features: Features
}

/**
 * Validates a validation: a required expression, and a message of one line or an expression that returns it and may not
 * use the authorizer. Stored expressions may use functions of any release.
 */
function* validateValidation(validation: Validation, { stored, features, ...parts }: PolicyUse, path: FieldPath): Steps<FieldError[]> {
  const { expression, message = '', reason, messageExpression = '' } = validation
  const errors: FieldError[] = []
  const at = path.child('expression')
  if (expression.trim() === '') errors.push(required(at, 'expression is not specified'))
  else {
    const use = { ...parts, authorizer: true, results: [BOOL], minor: oldestReader(features, stored.validations.has(expression)) }
    errors.push(...(yield* validateExpression(expression, use, at)))
  }
  const messageAt = path.child('messageExpression')
  if (messageExpression.trim() !== '') {
    const use = { ...parts, results: [STRING], minor: oldestReader(features, stored.messages.has(messageExpression)) }
    errors.push(...(yield* validateExpression(messageExpression, use, messageAt)))
  } else if (messageExpression !== '') errors.push(invalid(messageAt, messageExpression, 'must be non-empty if specified'))
  if (message !== '' && message.trim() === '')
    errors.push(invalid(path.child('message'), message, words('message must be non-empty if specified', 'must be non-empty if specified')))
  else if (/[\n\r]/.test(message.trim()))
    errors.push(invalid(path.child('message'), message, words('message must not contain line breaks', 'must not contain line breaks')))
  if (reason !== undefined && !REASONS.includes(reason)) errors.push(notSupported(path.child('reason'), reason, REASONS))
  return errors
}

const printAnnotation = ({ key, valueExpression }: AuditAnnotation): string =>
  `admissionregistration.AuditAnnotation{Key:${quote(key)}, ValueExpression:${quote(valueExpression)}}`

/**
 * Validates audit annotations. Keys are qualified by the name of the policy, so it must be set; generateName is not
 * enough. There are at most 20, of 5 KiB each.
 */
function* validateAnnotations(
  annotations: readonly AuditAnnotation[],
  policy: string,
  { stored, features, ...parts }: PolicyUse,
  path: FieldPath,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (annotations.length > MAX_ANNOTATIONS) {
    const printed = verbatim(`[]admissionregistration.AuditAnnotation{${annotations.map(printAnnotation).join(', ')}}`)
    errors.push(invalid(path, printed, `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`))
  }
  const seen = new Set<string>()
  for (const [i, { key, valueExpression }] of annotations.entries()) {
    const at = path.index(i)
    yield
    if (policy === '') errors.push(invalid(at.child('key'), key, 'requires metadata.name be non-empty'))
    else errors.push(...isQualifiedName(`${policy}/${key}`).map(text => invalid(at.child('key'), `${policy}/${key}`, text)))
    const value = valueExpression.trim()
    if (value === '') errors.push(required(at.child('valueExpression'), 'valueExpression is not specified'))
    else if (longerThan(value, MAX_VALUE_EXPRESSION)) {
      errors.push(required(at.child('valueExpression'), `must not exceed ${MAX_VALUE_EXPRESSION} bytes in length`))
    } else {
      const use = {
        ...parts,
        authorizer: true,
        results: [STRING, NULL],
        minor: oldestReader(features, stored.annotations.has(valueExpression)),
      }
      errors.push(...(yield* validateExpression(value, use, at.child('valueExpression'), valueExpression)))
    }
    if (seen.has(key)) errors.push(duplicate(at.child('key'), key))
    seen.add(key)
  }
  return errors
}

/** Checks that a policy has at least one validation or audit annotation, and validates them. */
function* validateChecks(spec: ValidatingAdmissionPolicySpec, name: string, use: PolicyUse, path: FieldPath): Steps<FieldError[]> {
  const validations = spec.validations ?? []
  const annotations = spec.auditAnnotations ?? []
  const at = path.child('validations')
  if (validations.length === 0 && annotations.length === 0)
    return [required(at, NOTHING_TO_CHECK), required(path.child('auditAnnotations'), NOTHING_TO_CHECK)]
  const errors: FieldError[] = []
  for (const [i, validation] of validations.entries()) {
    errors.push(...(yield* validateValidation(validation, use, at.index(i))))
    yield
  }
  return [...errors, ...(yield* validateAnnotations(annotations, name, use, path.child('auditAnnotations')))]
}

/** Validates a policy. Each expression takes several steps, as a request may have many. */
export function* validateAdmissionPolicy(
  next: ValidatingAdmissionPolicy,
  old: ValidatingAdmissionPolicy | undefined,
  { features }: HookContext,
): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const { spec } = next
  const params = Boolean(spec.paramKind)
  const before = old?.spec
  const stored = {
    validations: storedTexts(before?.validations, 'expression'),
    messages: storedTexts(before?.validations, 'messageExpression'),
    annotations: storedTexts(before?.auditAnnotations, 'valueExpression'),
  }
  const variables = new Map<string, Type>()
  const use: PolicyUse = { params, stored, features, ...((spec.variables ?? []).length > 0 ? { variables } : {}) }
  return [
    ...(yield* validatePolicyStart(spec, path)),
    ...(yield* validatePolicyConditions(next, old, features, path)),
    ...(yield* validateVariables(
      spec.variables ?? [],
      { params, stored: stored.validations, features },
      variables,
      path.child('variables'),
    )),
    ...(yield* validateChecks(spec, next.metadata.name ?? '', use, path)),
  ]
}
