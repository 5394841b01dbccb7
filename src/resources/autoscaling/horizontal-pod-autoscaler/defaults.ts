import type { HorizontalPodAutoscaler, HPAScalingRules, MetricSpec } from '../../../api/autoscaling/v2.types.ts'
import { isGivenEmpty } from '../../../meta/empty-members.ts'
import { clone } from '../../../meta/equal.ts'
import { dropRoundTripAnnotations } from './annotations.ts'

/** Default target: average CPU utilization in percent of the request. */
export const CPU_PERCENT = 80
/** Adds four pods or 100%, whichever is more, every 15 seconds, without a stabilization window. */
const SCALE_UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
/**
 * Removes up to 100% every 15 seconds. stabilizationWindowSeconds is unset, so the controller's own setting applies.
 */
const SCALE_DOWN = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] }

/** The metric that is equivalent to v1's percentage. */
export const cpuUtilization = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})

/**
 * Sets defaults. Without metrics the target is 80% of the requested CPU. Behavior rules that are missing are filled in,
 * separately for each direction. Source: pkg/apis/autoscaling/v2/defaults.go in k8s.io/kubernetes.
 */
export function setHorizontalPodAutoscalerDefaults(autoscaler: Pick<HorizontalPodAutoscaler, 'metadata' | 'spec'>): void {
  dropRoundTripAnnotations(autoscaler.metadata)
  const { spec } = autoscaler
  spec.minReplicas ??= 1
  if ((spec.metrics ?? []).length === 0) spec.metrics = [cpuUtilization(CPU_PERCENT)]
  if (!spec.behavior) return
  spec.behavior.scaleUp = completed(spec.behavior.scaleUp, SCALE_UP)
  spec.behavior.scaleDown = completed(spec.behavior.scaleDown, SCALE_DOWN)
}

/** An empty list of policies in the request is not replaced: validation requires at least one. */
function completed(rules: HPAScalingRules = {}, defaults: HPAScalingRules): HPAScalingRules {
  const whole = { ...clone(defaults), ...rules }
  if (isGivenEmpty(rules, 'policies')) delete whole.policies
  return whole
}
