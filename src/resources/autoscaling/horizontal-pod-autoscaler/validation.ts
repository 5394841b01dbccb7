import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '../../../api/autoscaling/v2.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, invalid, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { validateCounts } from '../../shared/counts.ts'
import { validateBehavior } from './behavior-validation.ts'
import { validateMetrics } from './metric-validation.ts'
import { apiVersionFault, type ReferenceRules, validateObjectReference } from './object-reference.ts'

/**
 * Validates an autoscaler. minReplicas may be 0 only with the gate HPAScaleToZero and an object or external metric, or
 * if it is 0 in the old object. Source: pkg/apis/autoscaling/validation in k8s.io/kubernetes.
 */
export function* validateHorizontalPodAutoscaler(
  { spec }: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler | undefined,
  { features }: HookContext,
): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const { minReplicas, maxReplicas } = spec
  // An autoscaler that already scales to zero may keep doing so.
  const lowest = features.enabled('HPAScaleToZero') || old?.spec.minReplicas === 0 ? 0 : 1
  const max = path.child('maxReplicas')
  return [
    ...(minReplicas !== undefined && minReplicas < lowest
      ? covered('minimum', [invalid(path.child('minReplicas'), minReplicas, `must be greater than or equal to ${lowest}`)])
      : []),
    ...validateMost(maxReplicas, max, features.release),
    ...(minReplicas !== undefined && maxReplicas < minReplicas
      ? [invalid(max, maxReplicas, 'must be greater than or equal to `minReplicas`')]
      : []),
    ...validateObjectReference(spec.scaleTargetRef, path.child('scaleTargetRef'), targetRules(spec, old?.spec, features)),
    ...(yield* validateMetrics(spec.metrics ?? [], minReplicas, path.child('metrics'), metricRules(old?.spec, features))),
    ...(yield* validateBehavior(spec.behavior, path.child('behavior'))),
  ]
}

function validateMost(maxReplicas: number, path: FieldPath, release: Release): FieldError[] {
  if (maxReplicas >= 1) return []
  if (!isSince(release, '1.36')) return [invalid(path, maxReplicas, 'must be greater than 0')]
  if (maxReplicas === 0) return covered('', [required(path, 'must be set and greater than 0')])
  return covered('minimum', [invalid(path, maxReplicas, 'must be greater than or equal to 1')])
}

/**
 * Returns the rules of the scale target. An update that changes neither kind nor apiVersion keeps their faults. In the
 * core group only a ReplicationController can be scaled.
 */
function targetRules(
  { scaleTargetRef: next }: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
  { release }: Features,
): ReferenceRules {
  const before = old?.scaleTargetRef
  const isKept = before !== undefined && (before.apiVersion ?? '') === (next.apiVersion ?? '') && before.kind === next.kind
  return { anyApiVersion: isKept || !isSince(release, '1.34'), coreGroup: next.kind === 'ReplicationController' }
}

/** One invalid reference in the old object excuses all. */
function metricRules(old: HorizontalPodAutoscalerSpec | undefined, { release }: Features): ReferenceRules {
  const rules = { anyApiVersion: !isSince(release, '1.34'), coreGroup: true }
  const wasBad = (old?.metrics ?? []).some(
    ({ type, object }) => type === 'Object' && object && apiVersionFault(object.describedObject, rules) !== undefined,
  )
  return { ...rules, anyApiVersion: rules.anyApiVersion || wasBad }
}

/** Validates the status: numbers of replicas are not negative. */
export const validateHorizontalPodAutoscalerStatus = ({ status }: HorizontalPodAutoscaler): FieldError[] =>
  validateCounts(status, ['currentReplicas', 'desiredReplicas'], fieldPath('status'))
