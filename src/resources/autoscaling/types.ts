import type { TypePackage } from '../../schema/idl.ts'

/** The types of autoscaling/v1. */
export const autoscalingTypes: TypePackage = {
  id: 'autoscaling',
  definition: 'io.k8s.api.autoscaling.v1',
  source: `
enum MetricSourceType ContainerResource External Object Pods Resource

type ContainerResourceMetricSource
  name 1 string
  targetAverageUtilization 2 *int32?
  targetAverageValue 3 *Quantity?
  container 5 string

type ContainerResourceMetricStatus
  name 1 string
  currentAverageUtilization 2 *int32?
  currentAverageValue 3 Quantity
  container 4 string

type CrossVersionObjectReference atomic
  kind 1 string
  name 2 string
  apiVersion 3 string?

type ExternalMetricSource
  metricName 1 string
  metricSelector 2 *meta.LabelSelector?
  targetValue 3 *Quantity?
  targetAverageValue 4 *Quantity?

type ExternalMetricStatus
  metricName 1 string
  metricSelector 2 *meta.LabelSelector?
  currentValue 3 Quantity
  currentAverageValue 4 *Quantity?

type HorizontalPodAutoscaler typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 HorizontalPodAutoscalerSpec?
  status 3 HorizontalPodAutoscalerStatus?

type HorizontalPodAutoscalerCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type HorizontalPodAutoscalerList typemeta
  metadata 1 meta.ListMeta?
  items 2 []HorizontalPodAutoscaler

type HorizontalPodAutoscalerSpec
  scaleTargetRef 1 CrossVersionObjectReference
  minReplicas 2 *int32?
  maxReplicas 3 int32
  targetCPUUtilizationPercentage 4 *int32?

type HorizontalPodAutoscalerStatus
  observedGeneration 1 *int64?
  lastScaleTime 2 *Time?
  currentReplicas 3 int32
  desiredReplicas 4 int32
  currentCPUUtilizationPercentage 5 *int32?

type MetricSpec
  type 1 MetricSourceType
  object 2 *ObjectMetricSource?
  pods 3 *PodsMetricSource?
  resource 4 *ResourceMetricSource?
  containerResource 7 *ContainerResourceMetricSource?
  external 5 *ExternalMetricSource?

type MetricStatus
  type 1 MetricSourceType
  object 2 *ObjectMetricStatus?
  pods 3 *PodsMetricStatus?
  resource 4 *ResourceMetricStatus?
  containerResource 7 *ContainerResourceMetricStatus?
  external 5 *ExternalMetricStatus?

type ObjectMetricSource
  target 1 CrossVersionObjectReference
  metricName 2 string
  targetValue 3 Quantity
  selector 4 *meta.LabelSelector?
  averageValue 5 *Quantity?

type ObjectMetricStatus
  target 1 CrossVersionObjectReference
  metricName 2 string
  currentValue 3 Quantity
  selector 4 *meta.LabelSelector?
  averageValue 5 *Quantity?

type PodsMetricSource
  metricName 1 string
  targetAverageValue 2 Quantity
  selector 3 *meta.LabelSelector?

type PodsMetricStatus
  metricName 1 string
  currentAverageValue 2 Quantity
  selector 3 *meta.LabelSelector?

type ResourceMetricSource
  name 1 string
  targetAverageUtilization 2 *int32?
  targetAverageValue 3 *Quantity?

type ResourceMetricStatus
  name 1 string
  currentAverageUtilization 2 *int32?
  currentAverageValue 3 Quantity

type Scale typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ScaleSpec?
  status 3 ScaleStatus?

type ScaleSpec
  replicas 1 int32?

type ScaleStatus
  replicas 1 int32
  selector 2 string?
`,
}

/** The types of autoscaling/v2. */
export const autoscalingV2Types: TypePackage = {
  id: 'autoscalingv2',
  definition: 'io.k8s.api.autoscaling.v2',
  source: `
type ContainerResourceMetricSource
  name 1 string
  target 2 MetricTarget
  container 3 string

type ContainerResourceMetricStatus
  name 1 string
  current 2 MetricValueStatus
  container 3 string

type CrossVersionObjectReference
  kind 1 string
  name 2 string
  apiVersion 3 string?

type ExternalMetricSource
  metric 1 MetricIdentifier
  target 2 MetricTarget

type ExternalMetricStatus
  metric 1 MetricIdentifier
  current 2 MetricValueStatus

type HPAScalingPolicy
  type 1 string
  value 2 int32
  periodSeconds 3 int32

type HPAScalingRules
  stabilizationWindowSeconds 3 *int32?
  selectPolicy 1 *string?
  policies 2 []HPAScalingPolicy? atomic
  tolerance 4 *Quantity?

type HorizontalPodAutoscaler typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 HorizontalPodAutoscalerSpec?
  status 3 HorizontalPodAutoscalerStatus?

type HorizontalPodAutoscalerBehavior
  scaleUp 1 *HPAScalingRules?
  scaleDown 2 *HPAScalingRules?

type HorizontalPodAutoscalerCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type HorizontalPodAutoscalerList typemeta
  metadata 1 meta.ListMeta?
  items 2 []HorizontalPodAutoscaler

type HorizontalPodAutoscalerSpec
  scaleTargetRef 1 CrossVersionObjectReference
  minReplicas 2 *int32?
  maxReplicas 3 int32
  metrics 4 []MetricSpec? atomic
  behavior 5 *HorizontalPodAutoscalerBehavior?

type HorizontalPodAutoscalerStatus
  observedGeneration 1 *int64?
  lastScaleTime 2 *Time?
  currentReplicas 3 int32?
  desiredReplicas 4 int32
  currentMetrics 5 []MetricStatus optional atomic
  conditions 6 []HorizontalPodAutoscalerCondition? map(type) merge(type)

type MetricIdentifier
  name 1 string
  selector 2 *meta.LabelSelector?

type MetricSpec
  type 1 string
  object 2 *ObjectMetricSource?
  pods 3 *PodsMetricSource?
  resource 4 *ResourceMetricSource?
  containerResource 7 *ContainerResourceMetricSource?
  external 5 *ExternalMetricSource?

type MetricStatus
  type 1 string
  object 2 *ObjectMetricStatus?
  pods 3 *PodsMetricStatus?
  resource 4 *ResourceMetricStatus?
  containerResource 7 *ContainerResourceMetricStatus?
  external 5 *ExternalMetricStatus?

type MetricTarget
  type 1 string
  value 2 *Quantity?
  averageValue 3 *Quantity?
  averageUtilization 4 *int32?

type MetricValueStatus
  value 1 *Quantity?
  averageValue 2 *Quantity?
  averageUtilization 3 *int32?

type ObjectMetricSource
  describedObject 1 CrossVersionObjectReference
  target 2 MetricTarget
  metric 3 MetricIdentifier

type ObjectMetricStatus
  metric 1 MetricIdentifier
  current 2 MetricValueStatus
  describedObject 3 CrossVersionObjectReference

type PodsMetricSource
  metric 1 MetricIdentifier
  target 2 MetricTarget

type PodsMetricStatus
  metric 1 MetricIdentifier
  current 2 MetricValueStatus

type ResourceMetricSource
  name 1 string
  target 2 MetricTarget

type ResourceMetricStatus
  name 1 string
  current 2 MetricValueStatus
`,
}
