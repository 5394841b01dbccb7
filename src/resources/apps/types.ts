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

type ControllerRevision typemeta # A state of an object as its controller recorded it, to go back to.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  data 2 RawExtension? # What is kept: the part of the spec that a revision stands for.
  revision 3 int64 # Number of the revision; later ones are higher.

type ControllerRevisionList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ControllerRevision

type DaemonSet typemeta # Runs a copy of a pod on every node, or on some.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 DaemonSetSpec? # What is wanted.
  status 3 DaemonSetStatus? # What is, as last reported; not set by those who want something.

type DaemonSetCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type DaemonSetList typemeta
  metadata 1 meta.ListMeta?
  items 2 []DaemonSet

type DaemonSetSpec # Which pods, on which nodes, and how they are replaced.
  selector 1 *meta.LabelSelector # Labels of its pods.
  template 2 core.PodTemplateSpec # The pods that it makes, one on each node that takes them.
  updateStrategy 3 DaemonSetUpdateStrategy? # How pods get a new template.
  minReadySeconds 4 int32? # How long a pod has to be ready before it counts as available.
  revisionHistoryLimit 6 *int32? # How many old revisions are kept.

type DaemonSetStatus # What the controller last saw of the set.
  currentNumberScheduled 1 int32 # How many nodes run the pod and should.
  numberMisscheduled 2 int32 # How many nodes run it and should not.
  desiredNumberScheduled 3 int32 # How many nodes should run it.
  numberReady 4 int32 # How many of its pods are ready.
  observedGeneration 5 int64? # The generation of the spec that this was reported of.
  updatedNumberScheduled 6 int32? # How many nodes run the newest template.
  numberAvailable 7 int32? # How many nodes have a pod that has been ready for long enough.
  numberUnavailable 8 int32? # How many nodes should have one and have none.
  collisionCount 9 *int32? # How often the name of a revision was taken.
  conditions 10 []DaemonSetCondition? map(type) merge(type) # What is known of it.

type DaemonSetUpdateStrategy
  type 1 DaemonSetUpdateStrategyType?
  rollingUpdate 2 *RollingUpdateDaemonSet?

type Deployment typemeta # Keeps replicas of a pod running, and replaces them step by step when the template changes.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 DeploymentSpec? # What is wanted.
  status 3 DeploymentStatus? # What is, as last reported; not set by those who want something.

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

type DeploymentSpec # How many replicas of which pods, and how they are replaced.
  replicas 1 *int32? # How many pods are wanted; 1 unless given.
  selector 2 *meta.LabelSelector # Labels of its pods; they cannot change.
  template 3 core.PodTemplateSpec # The pods that it makes.
  strategy 4 DeploymentStrategy? retainKeys # How old pods give way to new ones.
  minReadySeconds 5 int32? # How long a pod has to be ready before it counts as available.
  revisionHistoryLimit 6 *int32? # How many old replica sets are kept to go back to.
  paused 7 bool? # Whether changes of the template wait.
  progressDeadlineSeconds 9 *int32? # How long it may make no progress before it is told to have failed.

type DeploymentStatus # What the controller last saw of the deployment.
  observedGeneration 1 int64? # The generation of the spec that this was reported of.
  replicas 2 int32? # How many pods there are.
  updatedReplicas 3 int32? # How many of them have the newest template.
  readyReplicas 7 int32? # How many are ready.
  availableReplicas 4 int32? # How many have been ready for long enough.
  unavailableReplicas 5 int32? # How many are still missing.
  terminatingReplicas 9 *int32? # How many are on their way out.
  conditions 6 []DeploymentCondition? map(type) merge(type) # Whether it is available and makes progress.
  collisionCount 8 *int32? # How often the name of a replica set was taken.

type DeploymentStrategy
  type 1 DeploymentStrategyType?
  rollingUpdate 2 *RollingUpdateDeployment?

type ReplicaSet typemeta # Keeps a number of equal pods running.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ReplicaSetSpec? # What is wanted.
  status 3 ReplicaSetStatus? # What is, as last reported; not set by those who want something.

type ReplicaSetCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type ReplicaSetList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ReplicaSet

type ReplicaSetSpec # How many pods of which template.
  replicas 1 *int32? # How many pods are wanted; 1 unless given.
  minReadySeconds 4 int32? # How long a pod has to be ready before it counts as available.
  selector 2 *meta.LabelSelector # Labels of its pods.
  template 3 core.PodTemplateSpec? # The pods that it makes.

type ReplicaSetStatus # What the controller last saw of the set.
  replicas 1 int32 # How many pods there are.
  fullyLabeledReplicas 2 int32? # How many of them have all labels of the template.
  readyReplicas 4 int32? # How many are ready.
  availableReplicas 5 int32? # How many have been ready for long enough.
  terminatingReplicas 7 *int32? # How many are on their way out.
  observedGeneration 3 int64? # The generation of the spec that this was reported of.
  conditions 6 []ReplicaSetCondition? map(type) merge(type) # What keeps it from making or deleting pods.

type RollingUpdateDaemonSet
  maxUnavailable 1 *IntOrString?
  maxSurge 2 *IntOrString?

type RollingUpdateDeployment
  maxUnavailable 1 *IntOrString?
  maxSurge 2 *IntOrString?

type RollingUpdateStatefulSetStrategy
  partition 1 *int32?
  maxUnavailable 2 *IntOrString?

type StatefulSet typemeta # Keeps pods running that have a stable name, storage and order.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 StatefulSetSpec? # What is wanted.
  status 3 StatefulSetStatus? # What is, as last reported; not set by those who want something.

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

type StatefulSetSpec # How many pods of which template, with which claims.
  replicas 1 *int32? # How many pods are wanted; 1 unless given.
  selector 2 *meta.LabelSelector # Labels of its pods.
  template 3 core.PodTemplateSpec # The pods that it makes; each gets a number and keeps it.
  volumeClaimTemplates 4 []core.PersistentVolumeClaim? atomic # Claims that each pod gets for itself and keeps.
  serviceName 5 string optional # The service under which its pods have names.
  podManagementPolicy 6 PodManagementPolicyType? # Whether pods start and end one after another (OrderedReady) or all at once (Parallel).
  updateStrategy 7 StatefulSetUpdateStrategy? # How pods get a new template.
  revisionHistoryLimit 8 *int32? # How many old revisions are kept.
  minReadySeconds 9 int32? # How long a pod has to be ready before it counts as available.
  persistentVolumeClaimRetentionPolicy 10 *StatefulSetPersistentVolumeClaimRetentionPolicy? # What becomes of the claims when the set is deleted or made smaller.
  ordinals 11 *StatefulSetOrdinals? # The number that the first pod has; 0 unless given.

type StatefulSetStatus # What the controller last saw of the set.
  observedGeneration 1 int64? # The generation of the spec that this was reported of.
  replicas 2 int32 # How many pods there are.
  readyReplicas 3 int32? # How many of them are ready.
  currentReplicas 4 int32? # How many have the current revision.
  updatedReplicas 5 int32? # How many have the newest revision.
  currentRevision 6 string? # The revision that pods had before the update.
  updateRevision 7 string? # The revision that pods get.
  collisionCount 9 *int32? # How often the name of a revision was taken.
  conditions 10 []StatefulSetCondition? map(type) merge(type) # What is known of it.
  availableReplicas 11 int32 optional # How many have been ready for long enough.

type StatefulSetUpdateStrategy
  type 1 StatefulSetUpdateStrategyType?
  rollingUpdate 2 *RollingUpdateStatefulSetStrategy?
`,
}
