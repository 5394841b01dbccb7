import type { HorizontalPodAutoscalerBehavior, HPAScalingPolicy, HPAScalingRules } from '../../../api/autoscaling/v2.types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { quantitySign } from '../../../meta/quantity.ts'
import { NEGATIVE, NOT_POSITIVE } from '../../core/checks.ts'

const LONGEST_WINDOW_SECONDS = 3600
const LONGEST_PERIOD_SECONDS = 1800
const SELECT_POLICIES = ['Disabled', 'Max', 'Min']
const POLICY_TYPES = ['Percent', 'Pods']

/** Validates a policy. Value and period are positive, and the period is at most LONGEST_PERIOD_SECONDS. */
function validateScalingPolicy({ type, value, periodSeconds }: HPAScalingPolicy, path: FieldPath): FieldError[] {
  const period = path.child('periodSeconds')
  return [
    ...(POLICY_TYPES.includes(type) ? [] : [notSupported(path.child('type'), type, POLICY_TYPES)]),
    ...(value > 0 ? [] : [invalid(path.child('value'), value, NOT_POSITIVE)]),
    ...(periodSeconds > 0 ? [] : [invalid(period, periodSeconds, NOT_POSITIVE)]),
    ...(periodSeconds > LONGEST_PERIOD_SECONDS
      ? [invalid(period, periodSeconds, `must be less than or equal to ${LONGEST_PERIOD_SECONDS}`)]
      : []),
  ]
}

/**
 * Validates the rules of one direction. They may be absent; otherwise they need a policy: defaults replace an absent
 * list, not an empty one. The window is 0 to LONGEST_WINDOW_SECONDS, and the tolerance is not negative.
 */
function* validateScalingRules(rules: HPAScalingRules | undefined, path: FieldPath): Steps<FieldError[]> {
  if (!rules) return []
  const { stabilizationWindowSeconds: seconds = 0, selectPolicy, policies = [], tolerance } = rules
  const window = path.child('stabilizationWindowSeconds')
  const at = path.child('policies')
  const policyErrors: FieldError[] = []
  for (const [i, policy] of policies.entries()) {
    if (isStepDone()) yield
    policyErrors.push(...validateScalingPolicy(policy, at.index(i)))
  }
  return [
    ...(seconds < 0 ? [invalid(window, seconds, 'must be greater than or equal to zero')] : []),
    ...(seconds > LONGEST_WINDOW_SECONDS ? [invalid(window, seconds, `must be less than or equal to ${LONGEST_WINDOW_SECONDS}`)] : []),
    ...(selectPolicy === undefined || SELECT_POLICIES.includes(selectPolicy)
      ? []
      : [notSupported(path.child('selectPolicy'), selectPolicy, SELECT_POLICIES)]),
    ...(policies.length === 0 ? [required(at, 'must specify at least one Policy')] : []),
    ...policyErrors,
    ...(tolerance !== undefined && quantitySign(tolerance) < 0 ? [invalid(path.child('tolerance'), tolerance, NEGATIVE)] : []),
  ]
}

/**
 * Validates policies and stabilization windows of both directions, in steps. Source: pkg/apis/autoscaling/validation in
 * k8s.io/kubernetes.
 */
export function* validateBehavior(behavior: HorizontalPodAutoscalerBehavior | undefined, path: FieldPath): Steps<FieldError[]> {
  return [
    ...(yield* validateScalingRules(behavior?.scaleUp, path.child('scaleUp'))),
    ...(yield* validateScalingRules(behavior?.scaleDown, path.child('scaleDown'))),
  ]
}
