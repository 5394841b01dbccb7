import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { LabelSelector } from '../../../meta/label-selector.ts'
import { labelSelectorOf, validateLabelSelector } from '../../../meta/label-selector.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validateRules } from '../shared/rules-validation.ts'

const PATH = fieldPath('aggregationRule', 'clusterRoleSelectors')

const selectorsOf = (role: KubeObject): readonly LabelSelector[] => role.aggregationRule?.clusterRoleSelectors ?? []

function isReadable(selector: LabelSelector): boolean {
  try {
    labelSelectorOf(selector)
    return true
  } catch {
    return false
  }
}

function validateAggregation(role: KubeObject, allowInvalidValues: boolean): FieldError[] {
  if (!role.aggregationRule) return []
  const selectors = selectorsOf(role)
  if (selectors.length === 0) return [required(PATH, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
  return selectors.flatMap((selector, i) => {
    const errors = validateLabelSelector(selector, PATH.index(i), { allowInvalidValues })
    return isReadable(selector) ? errors : [...errors, invalid(PATH.index(i), null, 'invalid label selector.')]
  })
}

/** What an old object has wrong in the values of its selectors already, the new one may have wrong. */
export function validateClusterRole(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const keepValues = old !== undefined && selectorsOf(old).some(selector => validateLabelSelector(selector, PATH).length > 0)
  const errors = [...validateRules(next.rules, false), ...validateAggregation(next, keepValues)]
  return old ? [...errors, ...errors] : errors
}
