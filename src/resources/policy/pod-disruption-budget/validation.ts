import type { HookContext } from '../../../catalog/definition.ts'
import { validateConditions } from '../../../meta/condition-validation.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notSupported } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateLabelSelector } from '../../../meta/label-selector.ts'
import type { IntOrString } from '../../../meta/object.ts'
import { validateCounts } from '../../shared/counts.ts'
import { goValue } from '../../shared/go-values.ts'
import { validateAtMost100Percent, validateIntOrPercent } from '../../shared/int-or-percent.ts'
import { selectorRules } from '../../shared/selector-rules.ts'
import { enumValues } from '../../types.ts'
import type { PodDisruptionBudget } from '../v1.types.ts'

const EVICTION_POLICIES = enumValues('policy.UnhealthyPodEvictionPolicyType')

/** Checks for a non-negative number, or a percentage of at most 100%. */
const validateAmount = (value: IntOrString | undefined, path: FieldPath): FieldError[] =>
  value === undefined ? [] : [...validateIntOrPercent(value, path), ...validateAtMost100Percent(value, path)]

/**
 * Validates a budget. At most one of minAvailable and maxUnavailable is set. An update may keep invalid values in the selector. Source:
 * pkg/apis/policy/validation in k8s.io/kubernetes.
 */
export function validatePodDisruptionBudget({ spec }: PodDisruptionBudget, old: PodDisruptionBudget | undefined, { features }: HookContext): FieldError[] {
  const path = fieldPath('spec')
  const selector = path.child('selector')
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined
      ? [invalid(path, goValue('policy.PodDisruptionBudgetSpec', spec), 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...validateAmount(minAvailable, path.child('minAvailable')),
    ...validateAmount(maxUnavailable, path.child('maxUnavailable')),
    ...validateLabelSelector(spec.selector, selector, selectorRules(features, old?.spec.selector)),
    ...(policy !== undefined && !EVICTION_POLICIES.includes(policy) ? [notSupported(path.child('unhealthyPodEvictionPolicy'), policy, EVICTION_POLICIES)] : []),
  ]
}

/** Validates the status in v1beta1, of which only conditions have rules. */
export const validatePodDisruptionBudgetConditions = ({ status }: Pick<PodDisruptionBudget, 'status'>): FieldError[] =>
  validateConditions(status.conditions, fieldPath('status', 'conditions'))

/** Validates the status: counts are not negative, and conditions are valid. */
export function validatePodDisruptionBudgetStatus({ status }: PodDisruptionBudget): FieldError[] {
  const path = fieldPath('status')
  return [
    ...validatePodDisruptionBudgetConditions({ status }),
    ...validateCounts(status, ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'], path),
  ]
}
