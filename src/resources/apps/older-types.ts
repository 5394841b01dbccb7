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
  replicas 1 int32
  selector 2 map[string]string? atomic
  targetSelector 3 string?

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

type DeploymentRollback typemeta
  name 1 string
  updatedAnnotations 2 map[string]string?
  rollbackTo 3 RollbackConfig

type DeploymentSpec
  replicas 1 *int32?
  selector 2 *meta.LabelSelector?
  template 3 core.PodTemplateSpec
  strategy 4 DeploymentStrategy? retainKeys
  minReadySeconds 5 int32?
  revisionHistoryLimit 6 *int32?
  paused 7 bool?
  rollbackTo 8 *RollbackConfig? deprecated
  progressDeadlineSeconds 9 *int32?

type RollbackConfig
  revision 1 int64?

type ScaleStatus like appsV1beta2.ScaleStatus
  selector 2 map[string]string?

type StatefulSetSpec like appsV1beta2.StatefulSetSpec
  selector 2 *meta.LabelSelector?

type StatefulSetStatus like apps.StatefulSetStatus
  observedGeneration 1 *int64?
`,
  },
]
