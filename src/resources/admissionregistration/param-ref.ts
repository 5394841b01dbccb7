import type { ParamRef } from '../../api/admissionregistration/v1.types.ts'
import type { LabelSelector } from '../../api/meta/v1.types.ts'
import { enumValues } from '../../catalog/types.ts'
import type { Steps } from '../../lib/steps.ts'
import { DEFAULT_RELEASE, isSince, type Release } from '../../lifecycle/release.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { appendErrors, forbidden, invalid, notSupported, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { labelSelectorErrors } from '../../meta/label-selector.ts'
import { nameIsPathSegment } from '../../meta/names.ts'

const EXCLUSIVE = 'name and selector are mutually exclusive'
const ACTIONS = enumValues('admissionregistrationV1alpha1.ParameterNotFoundActionType', 'Deny')

/**
 * Validates the reference to parameters, by name or by label selector. If both are set, each is an error.
 * parameterNotFoundAction exists since 1.28.
 */
export function* validateParamRef(ref: ParamRef | undefined, path: FieldPath, release: Release = DEFAULT_RELEASE): Steps<FieldError[]> {
  if (!ref) return []
  const { name, selector, parameterNotFoundAction: action } = ref
  const errors: FieldError[] = []
  if (name) {
    errors.push(...nameIsPathSegment(name, false).map(text => invalid(path.child('name'), name, text)))
    if (selector) errors.push(forbidden(path.child('name'), EXCLUSIVE))
  }
  if (selector) {
    appendErrors(errors, yield* labelSelectorErrors(selector, path.child('selector')))
    if (name) errors.push(forbidden(path.child('selector'), EXCLUSIVE))
  }
  if (!name && !selector) errors.push(required(path, 'one of name or selector must be specified'))
  if (!isSince(release, '1.28')) return errors
  const at = path.child('parameterNotFoundAction')
  if (!action) errors.push(required(at))
  else if (!ACTIONS.includes(action)) errors.push(notSupported(at, action, ACTIONS))
  return errors
}

/** Prints a label selector like the generated code of apimachinery. */
function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels)
    .sort()
    .map(key => `${key}: ${matchLabels[key]},`)
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  )
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`
}

/** Prints `namespace/name` (`*` if there is no namespace), the selector, or `<unset>`. */
export function paramRefCell(ref: ParamRef | undefined): string {
  if (ref?.name) return `${ref.namespace || '*'}/${ref.name}`
  return ref?.selector ? selectorText(ref.selector) : '<unset>'
}
