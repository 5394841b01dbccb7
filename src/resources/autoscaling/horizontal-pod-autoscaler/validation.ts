import type { HookContext } from '../../../catalog/definition.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateCounts } from '../../shared/counts.ts'
import type { HorizontalPodAutoscaler } from '../v2.types.ts'
import { validateBehavior } from './behavior-validation.ts'
import { validateMetrics } from './metric-validation.ts'
import { validateObjectReference } from './object-reference.ts'

/**
 * Zero as the fewest replicas needs the gate HPAScaleToZero and a metric that is not about pods, or an old object that has it. Source: pkg/apis/autoscaling/validation in
 * k8s.io/kubernetes.
 */
export function validateHorizontalPodAutoscaler(
  { spec }: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler | undefined,
  { features }: HookContext,
): FieldError[] {
  const path = fieldPath('spec')
  const { minReplicas, maxReplicas } = spec
  // What scales to zero already may go on.
  const lowest = features.enabled('HPAScaleToZero') || old?.spec.minReplicas === 0 ? 0 : 1
  const max = path.child('maxReplicas')
  return [
    ...(minReplicas !== undefined && minReplicas < lowest
      ? [invalid(path.child('minReplicas'), minReplicas, `must be greater than or equal to ${lowest}`)]
      : []),
    ...(maxReplicas < 1 ? [invalid(max, maxReplicas, 'must be greater than 0')] : []),
    ...(minReplicas !== undefined && maxReplicas < minReplicas ? [invalid(max, maxReplicas, 'must be greater than or equal to `minReplicas`')] : []),
    ...validateObjectReference(spec.scaleTargetRef, path.child('scaleTargetRef')),
    ...validateMetrics(spec.metrics ?? [], minReplicas, path.child('metrics')),
    ...validateBehavior(spec.behavior, path.child('behavior')),
  ]
}

/** Counts of replicas are not negative. */
export const validateHorizontalPodAutoscalerStatus = ({ status }: HorizontalPodAutoscaler): FieldError[] =>
  validateCounts(status, ['currentReplicas', 'desiredReplicas'], fieldPath('status'))
