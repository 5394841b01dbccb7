import type { PolicyRule } from '../../../api/rbac/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { itemErrors } from '../../../meta/item-errors.ts'

const some = (list: readonly string[] | null | undefined): boolean => (list?.length ?? 0) > 0

/**
 * Validates a rule, which has verbs, and either resources or non-resource URLs. Values of verbs, groups and resources
 * are not validated.
 */
function validatePolicyRule(rule: PolicyRule, namespaced: boolean, path: FieldPath): FieldError[] {
  const errors = some(rule.verbs) ? [] : covered('', [required(path.child('verbs'), 'verbs must contain at least one value')])
  if (some(rule.nonResourceURLs)) {
    const at = path.child('nonResourceURLs')
    if (namespaced) errors.push(invalid(at, rule.nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'))
    if (some(rule.apiGroups) || some(rule.resources) || some(rule.resourceNames))
      errors.push(invalid(at, rule.nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'))
    return errors
  }
  if (!some(rule.apiGroups)) errors.push(required(path.child('apiGroups'), 'resource rules must supply at least one api group'))
  if (!some(rule.resources)) errors.push(required(path.child('resources'), 'resource rules must supply at least one resource'))
  return errors
}

/**
 * Validates the rules of a role or cluster role. `namespaced` is set for a role, which may not have non-resource URLs.
 * Source: pkg/apis/rbac/validation in k8s.io/kubernetes.
 */
export const validateRoleRules = (rules: readonly PolicyRule[] | null, namespaced: boolean): Steps<FieldError[]> =>
  itemErrors(rules ?? [], fieldPath('rules'), (rule, path) => validatePolicyRule(rule, namespaced, path))
