import type { FieldError } from '../../../meta/field-error.ts'
import { covered, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { PolicyRule } from '../v1.types.ts'

const some = (list: readonly string[] | null | undefined): boolean => (list?.length ?? 0) > 0

/** A rule is for resources or for other URLs, and always has verbs. What the verbs, groups and resources are is not checked. */
function validateRule(rule: PolicyRule, namespaced: boolean, path: FieldPath): FieldError[] {
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
 * The rules of a role, or of a cluster role. `namespaced`: they are for one namespace, in which there are no other URLs.
 * Source: pkg/apis/rbac/validation in k8s.io/kubernetes.
 */
export const validateRules = (rules: readonly PolicyRule[] | null, namespaced: boolean): FieldError[] =>
  (rules ?? []).flatMap((rule, i) => validateRule(rule, namespaced, fieldPath('rules').index(i)))
