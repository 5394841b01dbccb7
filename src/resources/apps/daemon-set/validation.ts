import type { HookContext } from '../../../catalog/definition.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { podTemplateOptions } from '../../core/pod-spec/options.ts'
import { validatePodTemplateSpec } from '../../core/pod-spec/validation.ts'
import { validateCounts, validateNotDecremented } from '../../shared/counts.ts'
import { goIntOrStringValue } from '../../shared/go-syntax.ts'
import { goValue } from '../../shared/go-values.ts'
import { intOrPercentValue, validateAtMost100Percent, validateIntOrPercent } from '../../shared/int-or-percent.ts'
import { selectorRules } from '../../shared/selector-rules.ts'
import { selectionOf, validateRestarting, validateSelectorUnchanged, validateSelects, validateWorkloadSelector } from '../../shared/workload/template.ts'
import { enumValues } from '../../types.ts'
import type { DaemonSet, DaemonSetUpdateStrategy, RollingUpdateDaemonSet } from '../v1.types.ts'

const STRATEGY_TYPES = enumValues('apps.DaemonSetUpdateStrategyType', 'RollingUpdate')

/** Checks that exactly one of maxUnavailable and maxSurge is above zero: during an update a node either lacks its pod for a while, or has two. */
function validateRollingUpdate({ maxUnavailable, maxSurge }: RollingUpdateDaemonSet, path: FieldPath): FieldError[] {
  const unavailableAt = path.child('maxUnavailable')
  const surgeAt = path.child('maxSurge')
  const errors = [
    ...validateIntOrPercent(maxUnavailable, unavailableAt),
    ...validateIntOrPercent(maxSurge, surgeAt),
    ...validateAtMost100Percent(maxUnavailable, unavailableAt),
    ...validateAtMost100Percent(maxSurge, surgeAt),
  ]
  const unavailable = intOrPercentValue(maxUnavailable) !== 0
  const surge = intOrPercentValue(maxSurge) !== 0
  if (unavailable && surge) errors.push(invalid(surgeAt, goIntOrStringValue(maxSurge), 'may not be set when maxUnavailable is non-zero'))
  if (!unavailable && !surge) errors.push(required(unavailableAt, 'cannot be 0 when maxSurge is 0'))
  return errors
}

/** Validates the update strategy. OnDelete needs no parameters. The error for an unknown type shows the whole struct, as upstream's does. */
function validateUpdateStrategy(strategy: DaemonSetUpdateStrategy, path: FieldPath): FieldError[] {
  const { type, rollingUpdate } = strategy
  if (type === 'OnDelete') return []
  if (type === 'RollingUpdate') {
    const at = path.child('rollingUpdate')
    return rollingUpdate ? validateRollingUpdate(rollingUpdate, at) : [required(at)]
  }
  return [notSupported(path, goValue('apps.DaemonSetUpdateStrategy', strategy), STRATEGY_TYPES)]
}

/**
 * Validates a DaemonSet. The template has the labels of the selector, pods always restart, and the selector is immutable. Source: pkg/apis/apps/validation in
 * k8s.io/kubernetes.
 */
export function validateDaemonSet(next: DaemonSet, old: DaemonSet | undefined, { features }: HookContext): FieldError[] {
  const path = fieldPath('spec')
  const { spec } = next
  const template = path.child('template')
  const selection = selectionOf(spec.selector)
  const errors = [
    ...validateWorkloadSelector(spec.selector, 'daemonset', path.child('selector'), selectorRules(features, old?.spec.selector)),
    ...(selection ? validateSelects(selection, spec.template, template) : []),
    ...validatePodTemplateSpec(spec.template, template, podTemplateOptions(features, spec.template, old?.spec.template)),
    ...validateRestarting(spec.template, 'DaemonSet', template),
    ...validateNonNegative(spec.minReadySeconds, path.child('minReadySeconds')),
    ...validateUpdateStrategy(spec.updateStrategy, path.child('updateStrategy')),
    ...validateNonNegative(spec.revisionHistoryLimit, path.child('revisionHistoryLimit')),
  ]
  // Upstream validates an updated object twice, and reports every error twice.
  return old ? [...errors, ...errors, ...validateSelectorUnchanged(spec.selector, old.spec.selector, path.child('selector'))] : errors
}

/** Validates the status. Counts are not negative, and the collision count only increases, because it is hashed into names of revisions. */
export function validateDaemonSetStatus(next: DaemonSet, old: DaemonSet | undefined): FieldError[] {
  const path = fieldPath('status')
  return [
    ...validateCounts(
      next.status,
      [
        'currentNumberScheduled',
        'numberMisscheduled',
        'desiredNumberScheduled',
        'numberReady',
        'observedGeneration',
        'updatedNumberScheduled',
        'numberAvailable',
        'numberUnavailable',
        'collisionCount',
      ],
      path,
    ),
    ...validateNotDecremented(next.status.collisionCount, old?.status.collisionCount, path.child('collisionCount')),
  ]
}
