import type { TypePackage } from '../../schema/idl.ts'

/**
 * The types of autoscaling/v2beta2 and v2beta1, as earlier releases served them. Objects of such versions are still read and written in every media type, by programs and by a server that
 * emulates a release that has them.
 */
export const olderAutoscalingTypes: readonly TypePackage[] = [
  {
    id: 'autoscalingV2beta2',
    definition: 'io.k8s.api.autoscaling.v2beta2',
    source: `
types ContainerResourceMetricSource ContainerResourceMetricStatus CrossVersionObjectReference ExternalMetricSource ExternalMetricStatus like autoscalingv2
types HPAScalingPolicy HorizontalPodAutoscaler HorizontalPodAutoscalerBehavior HorizontalPodAutoscalerCondition like autoscalingv2
types HorizontalPodAutoscalerList HorizontalPodAutoscalerSpec MetricIdentifier MetricSpec MetricStatus MetricTarget MetricValueStatus like autoscalingv2
types ObjectMetricSource ObjectMetricStatus PodsMetricSource PodsMetricStatus ResourceMetricSource ResourceMetricStatus like autoscalingv2

type HPAScalingRules
  stabilizationWindowSeconds 3 *int32?
  selectPolicy 1 *string?
  policies 2 []HPAScalingPolicy? atomic

type HorizontalPodAutoscalerStatus like autoscalingv2.HorizontalPodAutoscalerStatus
  currentReplicas 3 int32
  conditions 6 []HorizontalPodAutoscalerCondition optional atomic
`,
  },
  {
    id: 'autoscalingV2beta1',
    definition: 'io.k8s.api.autoscaling.v2beta1',
    source: `
types ContainerResourceMetricStatus ExternalMetricSource ExternalMetricStatus HorizontalPodAutoscaler HorizontalPodAutoscalerCondition like autoscaling
types HorizontalPodAutoscalerList ObjectMetricSource ObjectMetricStatus PodsMetricSource PodsMetricStatus like autoscaling
types ResourceMetricSource ResourceMetricStatus like autoscaling
types CrossVersionObjectReference HorizontalPodAutoscalerStatus MetricSpec MetricStatus like autoscalingV2beta2

type ContainerResourceMetricSource like autoscaling.ContainerResourceMetricSource
  container 4 string

type HorizontalPodAutoscalerSpec
  scaleTargetRef 1 CrossVersionObjectReference
  minReplicas 2 *int32?
  maxReplicas 3 int32
  metrics 4 []MetricSpec? atomic
`,
  },
]
