import type { HookContext } from '../../../catalog/definition.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { podTemplateOptions } from '../../core/pod-spec/options.ts'
import { validateAtMost, validateCounts, validateNotDecremented } from '../../shared/counts.ts'
import { goIntOrStringValue, goLabelSelector } from '../../shared/go-syntax.ts'
import { goValue } from '../../shared/go-values.ts'
import { intOrPercentValue, validateAtMost100Percent, validateIntOrPercent } from '../../shared/int-or-percent.ts'
import { validateReplicaTemplate } from '../../shared/workload/replicas.ts'
import { selectionOf, validateSelectorGiven, validateSelectorUnchanged } from '../../shared/workload/template.ts'
import { enumValues } from '../../types.ts'
import type { Deployment, DeploymentSpec, DeploymentStrategy } from '../v1.types.ts'

const STRATEGY_TYPES = enumValues('apps.DeploymentStrategyType')

/** Validates the strategy. Recreate takes no parameters. In a rolling update surge and unavailability are not both zero, so that it can make progress. */
function validateStrategy(strategy: DeploymentStrategy, path: FieldPath): FieldError[] {
  const at = path.child('rollingUpdate')
  const { type, rollingUpdate } = strategy
  switch (type) {
    case 'Recreate':
      return rollingUpdate ? [forbidden(at, "may not be specified when strategy `type` is 'Recreate'")] : []
    case 'RollingUpdate': {
      if (!rollingUpdate) return [required(at, 'this should be defaulted and never be nil')]
      const { maxUnavailable, maxSurge } = rollingUpdate
      const errors = [...validateIntOrPercent(maxUnavailable, at.child('maxUnavailable')), ...validateIntOrPercent(maxSurge, at.child('maxSurge'))]
      if (intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0) {
        errors.push(invalid(at.child('maxUnavailable'), goIntOrStringValue(maxUnavailable), 'may not be 0 when `maxSurge` is 0'))
      }
      return [...errors, ...validateAtMost100Percent(maxUnavailable, at.child('maxUnavailable'))]
    }
    default: {
      return [notSupported(path, goValue('apps.DeploymentStrategy', strategy), STRATEGY_TYPES)]
    }
  }
}

/** Validates the spec, in upstream’s order. The progress deadline must exceed minReadySeconds. */
function validateSpec(spec: DeploymentSpec, old: DeploymentSpec | undefined, features: Features, path: FieldPath): FieldError[] {
  const errors = validateNonNegative(spec.replicas, path.child('replicas'))
  errors.push(...validateSelectorGiven(spec.selector, 'deployment', path.child('selector')))
  const selection = selectionOf(spec.selector)
  if (!selection) errors.push(invalid(path.child('selector'), goLabelSelector(spec.selector ?? {}), 'invalid label selector'))
  else errors.push(...validateReplicaTemplate(spec.template, selection, path.child('template'), podTemplateOptions(features, spec.template, old?.template)))
  errors.push(...validateStrategy(spec.strategy, path.child('strategy')))
  errors.push(...validateNonNegative(spec.minReadySeconds, path.child('minReadySeconds')))
  errors.push(...validateNonNegative(spec.revisionHistoryLimit, path.child('revisionHistoryLimit')))
  if (spec.progressDeadlineSeconds !== undefined) {
    const at = path.child('progressDeadlineSeconds')
    errors.push(...validateNonNegative(spec.progressDeadlineSeconds, at))
    if (spec.progressDeadlineSeconds <= (spec.minReadySeconds ?? 0)) {
      errors.push(invalid(at, spec.progressDeadlineSeconds, 'must be greater than minReadySeconds'))
    }
  }
  return errors
}

/** Validates a Deployment. The selector is immutable. Source: pkg/apis/apps/validation in k8s.io/kubernetes. */
export function validateDeployment(next: Deployment, old: Deployment | undefined, { features }: HookContext): FieldError[] {
  const path = fieldPath('spec')
  const errors = validateSpec(next.spec, old?.spec, features, path)
  if (old) errors.push(...validateSelectorUnchanged(next.spec.selector, old.spec.selector, path.child('selector')))
  return errors
}

/** Validates the status. No count exceeds the replicas, and the collision count only increases, because it is hashed into names of replica sets. */
export function validateDeploymentStatus(next: Deployment, old: Deployment | undefined): FieldError[] {
  const { status } = next
  const path = fieldPath('status')
  const total = 'cannot be greater than status.replicas'
  return [
    ...validateCounts(
      status,
      ['observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas', 'collisionCount'],
      path,
    ),
    ...validateAtMost(status, 'updatedReplicas', 'replicas', total, path),
    ...validateAtMost(status, 'readyReplicas', 'replicas', total, path),
    ...validateAtMost(status, 'availableReplicas', 'replicas', total, path),
    ...validateAtMost(status, 'availableReplicas', 'readyReplicas', 'cannot be greater than readyReplicas', path),
    ...validateNotDecremented(status.collisionCount, old?.status.collisionCount, path.child('collisionCount')),
  ]
}
