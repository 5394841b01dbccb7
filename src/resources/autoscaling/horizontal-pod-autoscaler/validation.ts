import type { HookContext } from '../../../catalog/definition.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, invalid, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { validateCounts } from '../../shared/counts.ts'
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '../v2.types.ts'
import { validateBehavior } from './behavior-validation.ts'
import { validateMetrics } from './metric-validation.ts'
import { apiVersionFault, type ReferenceRules, validateObjectReference } from './object-reference.ts'

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
      ? covered('minimum', [invalid(path.child('minReplicas'), minReplicas, `must be greater than or equal to ${lowest}`)])
      : []),
    ...validateMost(maxReplicas, max, features.release),
    ...(minReplicas !== undefined && maxReplicas < minReplicas ? [invalid(max, maxReplicas, 'must be greater than or equal to `minReplicas`')] : []),
    ...validateObjectReference(spec.scaleTargetRef, path.child('scaleTargetRef'), targetRules(spec, old?.spec, features)),
    ...validateMetrics(spec.metrics ?? [], minReplicas, path.child('metrics'), metricRules(old?.spec, features)),
    ...validateBehavior(spec.behavior, path.child('behavior')),
  ]
}

function validateMost(maxReplicas: number, path: FieldPath, release: Release): FieldError[] {
  if (maxReplicas >= 1) return []
  if (!isSince(release, '1.36')) return [invalid(path, maxReplicas, 'must be greater than 0')]
  if (maxReplicas === 0) return covered('', [required(path, 'must be set and greater than 0')])
  return covered('minimum', [invalid(path, maxReplicas, 'must be greater than or equal to 1')])
}

/** An update that leaves kind and apiVersion alone keeps their faults. Of the core group only a ReplicationController can be scaled. */
function targetRules(
  { scaleTargetRef: next }: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
  { release }: Features,
): ReferenceRules {
  const before = old?.scaleTargetRef
  const isKept = before !== undefined && (before.apiVersion ?? '') === (next.apiVersion ?? '') && before.kind === next.kind
  return { anyApiVersion: isKept || !isSince(release, '1.34'), coreGroup: next.kind === 'ReplicationController' }
}

/** One bad reference of the old object excuses all. */
function metricRules(old: HorizontalPodAutoscalerSpec | undefined, { release }: Features): ReferenceRules {
  const rules = { anyApiVersion: !isSince(release, '1.34'), coreGroup: true }
  const wasBad = (old?.metrics ?? []).some(({ type, object }) => type === 'Object' && object && apiVersionFault(object.describedObject, rules) !== undefined)
  return { ...rules, anyApiVersion: rules.anyApiVersion || wasBad }
}

/** Counts of replicas are not negative. */
export const validateHorizontalPodAutoscalerStatus = ({ status }: HorizontalPodAutoscaler): FieldError[] =>
  validateCounts(status, ['currentReplicas', 'desiredReplicas'], fieldPath('status'))
