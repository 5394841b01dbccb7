import type { TypePackage } from '../../schema/idl.ts'

/**
 * The types of apps/v1beta2 and v1beta1, as earlier releases served them. Objects of such versions are still read and written in every media type, by programs and by a server that
 * emulates a release that has them.
 */
export const olderAppsTypes: readonly TypePackage[] = [
  {
    id: 'appsV1beta2',
    definition: 'io.k8s.api.apps.v1beta2',
    source: `
types ControllerRevision ControllerRevisionList DaemonSet DaemonSetCondition DaemonSetList DaemonSetSpec DaemonSetStatus like apps
types Deployment DeploymentCondition DeploymentList DeploymentSpec DeploymentStatus like apps
types ReplicaSet ReplicaSetCondition ReplicaSetList ReplicaSetSpec ReplicaSetStatus like apps
types RollingUpdateDaemonSet RollingUpdateDeployment RollingUpdateStatefulSetStrategy like apps
types StatefulSet StatefulSetCondition StatefulSetList StatefulSetOrdinals StatefulSetPersistentVolumeClaimRetentionPolicy StatefulSetStatus like apps
types Scale ScaleSpec like autoscaling

type DaemonSetUpdateStrategy like apps.DaemonSetUpdateStrategy
  type 1 string?

type DeploymentStrategy like apps.DeploymentStrategy
  type 1 string?

type ScaleStatus
  replicas 1 int32 # How many there are.
  selector 2 map[string]string? atomic # Labels of the pods that are counted.
  targetSelector 3 string? # The same, written as a query.

type StatefulSetSpec like apps.StatefulSetSpec
  podManagementPolicy 6 string?

type StatefulSetUpdateStrategy like apps.StatefulSetUpdateStrategy
  type 1 string?
`,
  },
  {
    id: 'appsV1beta1',
    definition: 'io.k8s.api.apps.v1beta1',
    source: `
types ControllerRevision ControllerRevisionList Deployment DeploymentCondition DeploymentList DeploymentStatus like apps
types RollingUpdateDeployment RollingUpdateStatefulSetStrategy like apps
types StatefulSet StatefulSetCondition StatefulSetList StatefulSetOrdinals StatefulSetPersistentVolumeClaimRetentionPolicy like apps
types DeploymentStrategy Scale ScaleSpec StatefulSetUpdateStrategy like appsV1beta2

type DeploymentRollback typemeta # Takes a deployment back to an earlier revision; never stored.
  name 1 string # The deployment.
  updatedAnnotations 2 map[string]string? # Annotations that it gets with the change.
  rollbackTo 3 RollbackConfig # The revision to go back to.

type DeploymentSpec # How many replicas of which pods, and how they are replaced.
  replicas 1 *int32? # How many pods are wanted; 1 unless given.
  selector 2 *meta.LabelSelector? # Labels of its pods; those of the template unless given.
  template 3 core.PodTemplateSpec # The pods that it makes.
  strategy 4 DeploymentStrategy? retainKeys # How old pods give way to new ones.
  minReadySeconds 5 int32? # How long a pod has to be ready before it counts as available.
  revisionHistoryLimit 6 *int32? # How many old replica sets are kept to go back to.
  paused 7 bool? # Whether changes of the template wait.
  rollbackTo 8 *RollbackConfig? deprecated # A revision to go back to; cleared once that is done.
  progressDeadlineSeconds 9 *int32? # How long it may make no progress before it is told to have failed.

type RollbackConfig
  revision 1 int64? # The number of the revision; 0 is the one before the present.

type ScaleStatus like appsV1beta2.ScaleStatus
  selector 2 map[string]string?

type StatefulSetSpec like appsV1beta2.StatefulSetSpec
  selector 2 *meta.LabelSelector?

type StatefulSetStatus like apps.StatefulSetStatus
  observedGeneration 1 *int64?
`,
  },
]
