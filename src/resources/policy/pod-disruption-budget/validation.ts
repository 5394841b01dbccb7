import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../../api/policy/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { enumValues } from '../../../catalog/types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { validateMetaConditions } from '../../../meta/condition-validation.ts'
import { hasFewValues } from '../../../meta/few-values.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateLabelSelector } from '../../../meta/label-selector.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { all, field, fields, type Rule, rules } from '../../../meta/rules.ts'
import { goValue } from '../../shared/go-values.ts'
import { validateAtMost100Percent, validateIntOrPercent } from '../../shared/int-or-percent.ts'
import { selectorRules, validateSelectorsInSteps } from '../../shared/selector-rules.ts'
import { validateOneOf } from '../../shared/word-lists.ts'

const EVICTION_POLICIES = enumValues('policy.UnhealthyPodEvictionPolicyType')

const isOneAmount: Rule<PodDisruptionBudgetSpec> = (spec, path) =>
  spec.minAvailable !== undefined && spec.maxUnavailable !== undefined
    ? [invalid(path, goValue('policy.PodDisruptionBudgetSpec', spec), 'minAvailable and maxUnavailable cannot be both set')]
    : []

const amount = all(validateIntOrPercent, validateAtMost100Percent)

/**
 * Validates a budget. An update may keep invalid values in the selector. Source: pkg/apis/policy/validation in
 * k8s.io/kubernetes.
 */
export const validatePodDisruptionBudget = (
  next: PodDisruptionBudget,
  old: PodDisruptionBudget | undefined,
  context: HookContext,
): FieldError[] | Steps<FieldError[]> =>
  hasFewValues(next.spec.selector) && hasFewValues(old?.spec.selector)
    ? validateBudget(next, old, context)
    : validateLargeBudget(next, old, context)

function* validateLargeBudget(...[next, old, context]: Parameters<typeof validateBudget>): Steps<FieldError[]> {
  yield* validateSelectorsInSteps(next.spec.selector, fieldPath('spec', 'selector'), old?.spec.selector, context.features)
  return validateBudget(next, old, context)
}

const validateBudget = rules<PodDisruptionBudget, HookContext>()(
  field(
    'spec',
    isOneAmount,
    fields(['minAvailable', 'maxUnavailable'], amount),
    field('selector', (selector, path, old, { features }) => validateLabelSelector(selector, path, selectorRules(features, old))),
    field('unhealthyPodEvictionPolicy', (policy, path) => validateOneOf(policy, EVICTION_POLICIES, path)),
  ),
)

/** Validates the status in v1beta1, of which only conditions have rules. */
export const validatePodDisruptionBudgetConditions = ({ status }: Pick<PodDisruptionBudget, 'status'>): FieldError[] =>
  validateMetaConditions(status.conditions, fieldPath('status', 'conditions'))

/** Validates the status: counts are not negative, and conditions are valid. */
export const validatePodDisruptionBudgetStatus = rules<PodDisruptionBudget>()(
  validatePodDisruptionBudgetConditions,
  field('status', fields(['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'], validateNonNegative)),
)
