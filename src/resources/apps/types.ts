import type { TypePackage } from '../../schema/idl.ts'

/** The types of apps/v1. */
export const appsTypes: TypePackage = {
  id: 'apps',
  definition: 'io.k8s.api.apps.v1',
  source: `
enum DaemonSetUpdateStrategyType OnDelete RollingUpdate
enum DeploymentStrategyType Recreate RollingUpdate
enum PodManagementPolicyType OrderedReady Parallel
enum StatefulSetUpdateStrategyType OnDelete RollingUpdate

type ControllerRevision typemeta
  metadata 1 meta.ObjectMeta?
  data 2 RawExtension?
  revision 3 int64

type ControllerRevisionList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ControllerRevision

type DaemonSet typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 DaemonSetSpec?
  status 3 DaemonSetStatus?

type DaemonSetCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type DaemonSetList typemeta
  metadata 1 meta.ListMeta?
  items 2 []DaemonSet

type DaemonSetSpec
  selector 1 *meta.LabelSelector
  template 2 core.PodTemplateSpec
  updateStrategy 3 DaemonSetUpdateStrategy?
  minReadySeconds 4 int32?
  revisionHistoryLimit 6 *int32?

type DaemonSetStatus
  currentNumberScheduled 1 int32
  numberMisscheduled 2 int32
  desiredNumberScheduled 3 int32
  numberReady 4 int32
  observedGeneration 5 int64?
  updatedNumberScheduled 6 int32?
  numberAvailable 7 int32?
  numberUnavailable 8 int32?
  collisionCount 9 *int32?
  conditions 10 []DaemonSetCondition? map(type) merge(type)

type DaemonSetUpdateStrategy
  type 1 DaemonSetUpdateStrategyType?
  rollingUpdate 2 *RollingUpdateDaemonSet?

type Deployment typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 DeploymentSpec?
  status 3 DeploymentStatus?

type DeploymentCondition
  type 1 string
  status 2 string
  lastUpdateTime 6 Time?
  lastTransitionTime 7 Time?
  reason 4 string?
  message 5 string?

type DeploymentList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Deployment

type DeploymentSpec
  replicas 1 *int32?
  selector 2 *meta.LabelSelector
  template 3 core.PodTemplateSpec
  strategy 4 DeploymentStrategy? retainKeys
  minReadySeconds 5 int32?
  revisionHistoryLimit 6 *int32?
  paused 7 bool?
  progressDeadlineSeconds 9 *int32?

type DeploymentStatus
  observedGeneration 1 int64?
  replicas 2 int32?
  updatedReplicas 3 int32?
  readyReplicas 7 int32?
  availableReplicas 4 int32?
  unavailableReplicas 5 int32?
  terminatingReplicas 9 *int32?
  conditions 6 []DeploymentCondition? map(type) merge(type)
  collisionCount 8 *int32?

type DeploymentStrategy
  type 1 DeploymentStrategyType?
  rollingUpdate 2 *RollingUpdateDeployment?

type ReplicaSet typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ReplicaSetSpec?
  status 3 ReplicaSetStatus?

type ReplicaSetCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type ReplicaSetList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ReplicaSet

type ReplicaSetSpec
  replicas 1 *int32?
  minReadySeconds 4 int32?
  selector 2 *meta.LabelSelector
  template 3 core.PodTemplateSpec?

type ReplicaSetStatus
  replicas 1 int32
  fullyLabeledReplicas 2 int32?
  readyReplicas 4 int32?
  availableReplicas 5 int32?
  terminatingReplicas 7 *int32?
  observedGeneration 3 int64?
  conditions 6 []ReplicaSetCondition? map(type) merge(type)

type RollingUpdateDaemonSet
  maxUnavailable 1 *IntOrString?
  maxSurge 2 *IntOrString?

type RollingUpdateDeployment
  maxUnavailable 1 *IntOrString?
  maxSurge 2 *IntOrString?

type RollingUpdateStatefulSetStrategy
  partition 1 *int32?
  maxUnavailable 2 *IntOrString?

type StatefulSet typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 StatefulSetSpec?
  status 3 StatefulSetStatus?

type StatefulSetCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type StatefulSetList typemeta
  metadata 1 meta.ListMeta?
  items 2 []StatefulSet

type StatefulSetOrdinals
  start 1 int32 optional

type StatefulSetPersistentVolumeClaimRetentionPolicy
  whenDeleted 1 string?
  whenScaled 2 string?

type StatefulSetSpec
  replicas 1 *int32?
  selector 2 *meta.LabelSelector
  template 3 core.PodTemplateSpec
  volumeClaimTemplates 4 []core.PersistentVolumeClaim? atomic
  serviceName 5 string optional
  podManagementPolicy 6 PodManagementPolicyType?
  updateStrategy 7 StatefulSetUpdateStrategy?
  revisionHistoryLimit 8 *int32?
  minReadySeconds 9 int32?
  persistentVolumeClaimRetentionPolicy 10 *StatefulSetPersistentVolumeClaimRetentionPolicy?
  ordinals 11 *StatefulSetOrdinals?

type StatefulSetStatus
  observedGeneration 1 int64?
  replicas 2 int32
  readyReplicas 3 int32?
  currentReplicas 4 int32?
  updatedReplicas 5 int32?
  currentRevision 6 string?
  updateRevision 7 string?
  collisionCount 9 *int32?
  conditions 10 []StatefulSetCondition? map(type) merge(type)
  availableReplicas 11 int32 optional

type StatefulSetUpdateStrategy
  type 1 StatefulSetUpdateStrategyType?
  rollingUpdate 2 *RollingUpdateStatefulSetStrategy?
`,
}
