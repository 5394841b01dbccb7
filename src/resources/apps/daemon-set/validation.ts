import type { DaemonSet, DaemonSetSpec, RollingUpdateDaemonSet } from '../../../api/apps/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { invalid, notSupported, required } from '../../../meta/field-error.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { all, anything, field, fields, mandatory, onUpdate, type Rule, rules, union } from '../../../meta/rules.ts'
import { podTemplateOptions } from '../../core/pod-spec/options.ts'
import { validatePodTemplateSpec } from '../../core/pod-spec/validation.ts'
import {
  selectionOf,
  twiceOnUpdate,
  validateRestarting,
  validateSelectorUnchanged,
  validateSelects,
  validateWorkloadSelector,
} from '../../core/workload/template.ts'
import { validateNotDecremented } from '../../shared/counts.ts'
import { goIntOrStringValue } from '../../shared/go-syntax.ts'
import { goValue } from '../../shared/go-values.ts'
import { intOrPercentValue, validateAtMost100Percent, validateIntOrPercent } from '../../shared/int-or-percent.ts'
import { selectorRules } from '../../shared/selector-rules.ts'

/**
 * Checks that exactly one of maxUnavailable and maxSurge is above zero: during an update a node either lacks its pod
 * for a while, or has two.
 */
const isSurgeOrUnavailable: Rule<RollingUpdateDaemonSet> = ({ maxUnavailable, maxSurge }, path) => {
  const unavailable = intOrPercentValue(maxUnavailable) !== 0
  const surge = intOrPercentValue(maxSurge) !== 0
  if (unavailable !== surge) return []
  if (surge) return [invalid(path.child('maxSurge'), goIntOrStringValue(maxSurge), 'may not be set when maxUnavailable is non-zero')]
  return [required(path.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0')]
}

const rollingUpdate = all<RollingUpdateDaemonSet>(
  fields(['maxUnavailable', 'maxSurge'], validateIntOrPercent),
  fields(['maxUnavailable', 'maxSurge'], validateAtMost100Percent),
  isSurgeOrUnavailable,
)

const validateTemplate: Rule<DaemonSetSpec, HookContext> = ({ selector, template }, path, old, { features }) => {
  const at = path.child('template')
  const selection = selectionOf(selector)
  return [
    ...(selection ? validateSelects(selection, template, at) : []),
    ...validatePodTemplateSpec(template, at, podTemplateOptions(features, template, old?.template)),
    ...validateRestarting(template, 'DaemonSet', at),
  ]
}

/**
 * Validates a DaemonSet. The template has the labels of the selector, pods always restart, and the selector is
 * immutable. Source: pkg/apis/apps/validation in k8s.io/kubernetes.
 */
export const validateDaemonSet = rules<DaemonSet, HookContext>()(
  field(
    'spec',
    twiceOnUpdate(
      field('selector', (selector, path, old, { features }) =>
        validateWorkloadSelector(selector, 'daemonset', path, selectorRules(features, old)),
      ),
      validateTemplate,
      field('minReadySeconds', validateNonNegative),
      field(
        'updateStrategy',
        union(
          'type',
          { RollingUpdate: field('rollingUpdate', mandatory('', rollingUpdate)), OnDelete: anything },
          (strategy, path, known) => [notSupported(path, goValue('apps.DaemonSetUpdateStrategy', strategy), known)],
        ),
      ),
      field('revisionHistoryLimit', validateNonNegative),
    ),
    onUpdate(field('selector', validateSelectorUnchanged)),
  ),
)

/** Validates the status. The collision count only increases, because it is hashed into names of revisions. */
export const validateDaemonSetStatus = rules<DaemonSet>()(
  field(
    'status',
    fields(
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
      validateNonNegative,
    ),
    field('collisionCount', validateNotDecremented),
  ),
)
