import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  LocalSubjectAccessReview,
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '../../../api/authorization/v1.types.ts'
import type { ObjectMeta } from '../../../api/meta/object.ts'
import type { FieldSelectorRequirement, LabelSelectorRequirement } from '../../../api/meta/v1.types.ts'
import { goJsonText } from '../../../lib/go-json-text.ts'
import { quote } from '../../../lib/go-quote.ts'
import type { Steps } from '../../../lib/steps.ts'
import { hasNoMembers } from '../../../lib/wide-objects.ts'
import { boundedErrors } from '../../../meta/error-bound.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, required, type Verbatim, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { itemErrors } from '../../../meta/item-errors.ts'
import { labelSelectorErrors } from '../../../meta/label-selector.ts'
import { goValue } from '../../shared/go-values.ts'

const SPEC = fieldPath('spec')

/** Prints the attributes in Go's syntax for messages. Without attributes the message has the text "null". */
const nonResourceValue = (attributes: NonResourceAttributes | undefined): Verbatim | undefined =>
  attributes &&
  verbatim(`authorization.NonResourceAttributes{Path:${quote(attributes.path ?? '')}, Verb:${quote(attributes.verb ?? '')}}`, () =>
    goJsonText({ Path: attributes.path ?? '', Verb: attributes.verb ?? '' }),
  )

function validateFieldTerm({ key, operator, values = [] }: FieldSelectorRequirement, path: FieldPath): FieldError[] {
  const errors = key ? [] : [required(path.child('key'), 'must be specified')]
  const at = path.child('values')
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
    errors.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"))
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
    errors.push(forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
  return errors
}

const validateFieldTerms = (terms: readonly FieldSelectorRequirement[], path: FieldPath): Steps<FieldError[]> =>
  itemErrors(terms, path.child('requirements'), validateFieldTerm)

/**
 * Validates label requirements. Unknown operators are accepted, since a newer client may use them. The number of errors
 * is limited here, so that the renamed errors of an early end are complete.
 */
function* validateLabelTerms(terms: LabelSelectorRequirement[], path: FieldPath): Steps<FieldError[]> {
  const errors = yield* boundedErrors(labelSelectorErrors({ matchExpressions: terms }, path, { allowUnknownOperator: true }))
  return errors.map(error => ({ ...error, field: error.field.replace(`${path.text}.matchExpressions`, `${path.text}.requirements`) }))
}

function* validateSelector(
  selector: FieldSelectorAttributes | LabelSelectorAttributes | undefined,
  path: FieldPath,
  validateTerms: (terms: FieldSelectorRequirement[], path: FieldPath) => Steps<FieldError[]>,
): Steps<FieldError[]> {
  if (!selector) return []
  const terms = selector.requirements ?? []
  const errors: FieldError[] = []
  if (selector.rawSelector && terms.length > 0)
    errors.push(invalid(path.child('rawSelector'), selector.rawSelector, 'may not specified at the same time as requirements'))
  if (!selector.rawSelector && terms.length === 0)
    errors.push(required(path.child('requirements'), `when ${path.text} is specified, requirements or rawSelector is required`))
  return [...errors, ...(yield* validateTerms(terms, path))]
}

function* validateResource(attributes: ResourceAttributes | undefined): Steps<FieldError[]> {
  if (!attributes) return []
  const path = SPEC.child('resourceAttributes')
  return [
    ...(yield* validateSelector(attributes.fieldSelector, path.child('fieldSelector'), validateFieldTerms)),
    ...(yield* validateSelector(attributes.labelSelector, path.child('labelSelector'), validateLabelTerms)),
  ]
}

function validateQuestion({ resourceAttributes, nonResourceAttributes }: SelfSubjectAccessReviewSpec): FieldError[] {
  const value = nonResourceValue(nonResourceAttributes)
  if (resourceAttributes && nonResourceAttributes)
    return [invalid(SPEC.child('nonResourceAttributes'), value, 'cannot be specified in combination with resourceAttributes')]
  if (resourceAttributes || nonResourceAttributes) return []
  return [invalid(SPEC.child('resourceAttributes'), value, 'exactly one of nonResourceAttributes or resourceAttributes must be specified')]
}

const validateUser = ({ user, groups = [] }: SubjectAccessReviewSpec): FieldError[] =>
  user || groups.length > 0 ? [] : [invalid(SPEC.child('user'), user ?? '', 'at least one of user or group must be specified')]

const isEmptyOrZero = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || value === 0 || (typeof value === 'object' && hasNoMembers(value))

/** Checks that metadata is empty, except for `managedFields` and the named members. */
function validateNoMeta(metadata: ObjectMeta, detail: string, except: readonly string[] = []): FieldError[] {
  const given = Object.entries(metadata).filter(([name, value]) => name !== 'managedFields' && !isEmptyOrZero(value))
  return given.every(([name]) => except.includes(name))
    ? []
    : [invalid(fieldPath('metadata'), goValue('meta.ObjectMeta', metadata), detail)]
}

const MUST_BE_EMPTY = 'must be empty'

/** Validates a self review, in upstream's order: attributes, resource, then metadata, which must be empty. */
export function* validateSelfSubjectAccessReview({ metadata, spec }: SelfSubjectAccessReview): Steps<FieldError[]> {
  return [...validateQuestion(spec), ...(yield* validateResource(spec.resourceAttributes)), ...validateNoMeta(metadata, MUST_BE_EMPTY)]
}

function* validateReviewSpec(spec: SubjectAccessReviewSpec): Steps<FieldError[]> {
  return [...validateQuestion(spec), ...validateUser(spec), ...(yield* validateResource(spec.resourceAttributes))]
}

/** Validates a review, like a self review. A user or a group must be set as well. */
export function* validateSubjectAccessReview({ metadata, spec }: SubjectAccessReview): Steps<FieldError[]> {
  return [...(yield* validateReviewSpec(spec)), ...validateNoMeta(metadata, MUST_BE_EMPTY)]
}

/**
 * Validates a local review, like a review. Metadata may contain the namespace, which must be that of the attributes.
 */
export function* validateLocalSubjectAccessReview({ metadata, spec }: LocalSubjectAccessReview): Steps<FieldError[]> {
  const errors = yield* validateReviewSpec(spec)
  errors.push(...validateNoMeta(metadata, 'must be empty except for namespace', ['namespace']))
  const namespace = spec.resourceAttributes?.namespace ?? ''
  if (spec.resourceAttributes && namespace !== (metadata.namespace ?? ''))
    errors.push(invalid(SPEC.child('resourceAttributes', 'namespace'), namespace, 'must match metadata.namespace'))
  if (spec.nonResourceAttributes)
    errors.push(
      invalid(SPEC.child('nonResourceAttributes'), nonResourceValue(spec.nonResourceAttributes), 'disallowed on this kind of request'),
    )
  return errors
}
