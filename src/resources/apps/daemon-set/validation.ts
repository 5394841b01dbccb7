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
import type { DaemonSet, DaemonSetUpdateStrategy, RollingUpdateDaemonSet } from '../v1.types.ts'

/** Exactly one of maxUnavailable and maxSurge is above zero: either a node is without its pod for a while, or it has two. */
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

/** OnDelete needs no parameters. A type that is not known is reported with the whole struct, as upstream prints it. */
function validateUpdateStrategy(strategy: DaemonSetUpdateStrategy, path: FieldPath): FieldError[] {
  const { type, rollingUpdate } = strategy
  if (type === 'OnDelete') return []
  if (type === 'RollingUpdate') {
    const at = path.child('rollingUpdate')
    return rollingUpdate ? validateRollingUpdate(rollingUpdate, at) : [required(at)]
  }
  return [notSupported(path, goValue('apps.DaemonSetUpdateStrategy', strategy), ['RollingUpdate', 'OnDelete'])]
}

/** Selector and template belong together, pods always restart, and the selector never changes. Source: pkg/apis/apps/validation in k8s.io/kubernetes. */
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
  // An update is checked as a new one twice, as upstream does: the causes say so.
  return old ? [...errors, ...errors, ...validateSelectorUnchanged(spec.selector, old.spec.selector, path.child('selector'))] : errors
}

/** Counts are not negative, and the collision count only grows: names of revisions are hashed with it. */
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
