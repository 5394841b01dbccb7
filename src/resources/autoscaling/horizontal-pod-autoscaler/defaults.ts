import { clone } from '../../../meta/equal.ts'
import { isGivenEmpty } from '../../../meta/given-empty.ts'
import type { HorizontalPodAutoscaler, HPAScalingRules, MetricSpec } from '../v2.types.ts'
import { dropRoundTripAnnotations } from './annotations.ts'

/** The use of the requested CPU that is aimed at where nothing is said. */
export const CPU_PERCENT = 80
/** Without waiting, adds four pods or as many as there are, whichever is more, every 15 seconds. */
const SCALE_UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
/** Has no stabilizationWindowSeconds: where the field is absent, the setting of the controller applies. */
const SCALE_DOWN = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] }

/** The metric that v1's percentage stands for. */
export const cpuUtilization = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})

/**
 * Without metrics it scales to 80% of the requested CPU. Rules that a behaviour leaves out are filled in, one direction apart from the other. Source:
 * pkg/apis/autoscaling/v2/defaults.go in k8s.io/kubernetes.
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

/** Policies that were given and are none stay away: validation wants one at least. */
function completed(rules: HPAScalingRules = {}, defaults: HPAScalingRules): HPAScalingRules {
  const whole = { ...clone(defaults), ...rules }
  if (isGivenEmpty(rules, 'policies')) delete whole.policies
  return whole
}
