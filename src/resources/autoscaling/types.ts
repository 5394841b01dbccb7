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
  kind 1 string # Kind of the object.
  name 2 string # Name of the object.
  apiVersion 3 string? # Group and version of the object.

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

type HorizontalPodAutoscaler typemeta # Changes the number of replicas as the use of processors asks for it.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 HorizontalPodAutoscalerSpec? # What is wanted.
  status 3 HorizontalPodAutoscalerStatus? # What is, as last reported; not set by those who want something.

type HorizontalPodAutoscalerCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type HorizontalPodAutoscalerList typemeta
  metadata 1 meta.ListMeta?
  items 2 []HorizontalPodAutoscaler

type HorizontalPodAutoscalerSpec # What is scaled, between which bounds, to which use of processors.
  scaleTargetRef 1 CrossVersionObjectReference # What is scaled; it has the subresource scale.
  minReplicas 2 *int32? # Never fewer than this; 1 unless it says otherwise.
  maxReplicas 3 int32 # Never more than this.
  targetCPUUtilizationPercentage 4 *int32? # The use of processors to aim at, over all pods, in per cent of what they request.

type HorizontalPodAutoscalerStatus
  observedGeneration 1 *int64? # The generation that was last seen.
  lastScaleTime 2 *Time? # When the number was last changed.
  currentReplicas 3 int32 # How many there are.
  desiredReplicas 4 int32 # How many there should be.
  currentCPUUtilizationPercentage 5 *int32? # The present use of processors, over all pods.

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

type Scale typemeta # How many replicas an object wants and has.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ScaleSpec? # What is wanted.
  status 3 ScaleStatus? # What is, as last reported; not set by those who want something.

type ScaleSpec
  replicas 1 int32? # How many are wanted.

type ScaleStatus
  replicas 1 int32 # How many there are.
  selector 2 string? # Labels of the pods that are counted, written as a query.
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
  kind 1 string # Kind of the object.
  name 2 string # Name of the object.
  apiVersion 3 string? # Group and version of the object.

type ExternalMetricSource
  metric 1 MetricIdentifier
  target 2 MetricTarget

type ExternalMetricStatus
  metric 1 MetricIdentifier
  current 2 MetricValueStatus

type HPAScalingPolicy
  type 1 string # Pods or Percent.
  value 2 int32 # How many pods, or how much in per cent of them; above zero.
  periodSeconds 3 int32 # In which time; 1 to 1800.

type HPAScalingRules
  stabilizationWindowSeconds 3 *int32? # How far back recommendations are looked at, the safest of which is taken; 0 to 3600.
  selectPolicy 1 *string? # Of several policies the one that allows most (Max, the default), least (Min), or none: no change in this direction (Disabled).
  policies 2 []HPAScalingPolicy? atomic # What may change in which time.
  tolerance 4 *Quantity? # How far a value may be off its target before anything is done, as a fraction.

type HorizontalPodAutoscaler typemeta # Changes the number of replicas as measured values ask for it.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 HorizontalPodAutoscalerSpec? # What is wanted.
  status 3 HorizontalPodAutoscalerStatus? # What is, as last reported; not set by those who want something.

type HorizontalPodAutoscalerBehavior
  scaleUp 1 *HPAScalingRules? # The way up; unless it says otherwise, the larger of 4 pods and 100 per cent in 15 seconds, at once.
  scaleDown 2 *HPAScalingRules? # The way down; unless it says otherwise, as far as the bounds allow, after 300 seconds of looking on.

type HorizontalPodAutoscalerCondition
  type 1 string # AbleToScale, ScalingActive or ScalingLimited.
  status 2 string # True, False or Unknown.
  lastTransitionTime 3 Time? # When the status last changed.
  reason 4 string? # Why, in a word.
  message 5 string? # Why, for people.

type HorizontalPodAutoscalerList typemeta
  metadata 1 meta.ListMeta?
  items 2 []HorizontalPodAutoscaler

type HorizontalPodAutoscalerSpec # What is scaled, between which bounds, by which values.
  scaleTargetRef 1 CrossVersionObjectReference # What is scaled; it has the subresource scale.
  minReplicas 2 *int32? # Never fewer than this; 1 unless it says otherwise.
  maxReplicas 3 int32 # Never more than this.
  metrics 4 []MetricSpec? atomic # Values with their targets; the one that asks for most replicas counts. Unless it says otherwise: 80 per cent of the processors that are requested.
  behavior 5 *HorizontalPodAutoscalerBehavior? # How fast the number may go up and down.

type HorizontalPodAutoscalerStatus
  observedGeneration 1 *int64? # The generation that was last seen.
  lastScaleTime 2 *Time? # When the number was last changed.
  currentReplicas 3 int32? # How many there are.
  desiredReplicas 4 int32 # How many there should be.
  currentMetrics 5 []MetricStatus optional atomic # What was last measured.
  conditions 6 []HorizontalPodAutoscalerCondition? map(type) merge(type) # Whether scaling works, is on, and is held by a bound.

type MetricIdentifier
  name 1 string # Name of the metric.
  selector 2 *meta.LabelSelector? # Narrows the metric by its labels.

type MetricSpec
  type 1 string # Which of the members is set: Object, Pods, Resource, ContainerResource or External.
  object 2 *ObjectMetricSource? # A value about one object of the cluster.
  pods 3 *PodsMetricSource? # A value of every pod, taken as an average.
  resource 4 *ResourceMetricSource? # A resource that the pods request, such as cpu.
  containerResource 7 *ContainerResourceMetricSource? # A resource that one container of every pod requests.
  external 5 *ExternalMetricSource? # A value from outside of the cluster.

type MetricStatus
  type 1 string
  object 2 *ObjectMetricStatus?
  pods 3 *PodsMetricStatus?
  resource 4 *ResourceMetricStatus?
  containerResource 7 *ContainerResourceMetricStatus?
  external 5 *ExternalMetricStatus?

type MetricTarget
  type 1 string # Which of the members is set: Utilization, Value or AverageValue.
  value 2 *Quantity? # The value itself.
  averageValue 3 *Quantity? # The value divided by the number of pods.
  averageUtilization 4 *int32? # Use in per cent of what is requested, over all pods.

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
