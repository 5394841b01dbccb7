/** A change of the cluster that may make a pod schedulable. */
export type ClusterEvent =
  | 'node added'
  | 'node deleted'
  | 'node labels'
  | 'node taints'
  | 'node allocatable'
  | 'node features'
  | 'assigned pod added'
  | 'assigned pod labels'
  | 'assigned pod resources'
  | 'assigned pod deleted'
  | 'claim'
  | 'volume'
  | 'class'
  | 'storage node'
  | 'device claim'
  | 'device class'
  | 'device'
  | 'workload'
  | 'pod group'
  | 'composite pod group'
  | 'pod of group'

/** Events of plugins that place a pod by the pods that are near. */
const NEARBY_PODS: readonly ClusterEvent[] = ['assigned pod added', 'assigned pod labels', 'assigned pod deleted']

/**
 * Events after which a pod is tried again, by the plugin that rejected it. Source: EventsToRegister of each plugin in
 * pkg/scheduler/framework/plugins.
 */
const EVENTS: Readonly<Record<string, readonly ClusterEvent[]>> = {
  NodeUnschedulable: ['node added', 'node taints'],
  NodeName: ['node added'],
  TaintToleration: ['node added', 'node taints'],
  NodeAffinity: ['node added', 'node labels'],
  NodePorts: ['node added', 'assigned pod deleted'],
  NodeResourcesFit: ['node added', 'node allocatable', 'assigned pod deleted', 'assigned pod resources', 'device class'],
  VolumeRestrictions: ['node added', 'assigned pod deleted', 'claim'],
  NodeVolumeLimits: ['storage node', 'assigned pod deleted', 'claim', 'volume'],
  VolumeBinding: ['node added', 'node labels', 'claim', 'volume', 'class', 'storage node'],
  VolumeZone: ['node added', 'node labels', 'claim', 'volume', 'class'],
  PodTopologySpread: ['node added', 'node deleted', 'node labels', 'node taints', ...NEARBY_PODS],
  InterPodAffinity: ['node added', 'node labels', ...NEARBY_PODS],
  NodeDeclaredFeatures: ['node added', 'node features'],
  GangScheduling: ['workload', 'pod group', 'composite pod group', 'pod of group'],
  DynamicResources: [
    'node added',
    'node labels',
    'node allocatable',
    'node features',
    'assigned pod deleted',
    'assigned pod resources',
    'device claim',
    'device class',
    'device',
  ],
}

/** Names of events in metrics. Source: ClusterEvent.Label of k8s.io/kube-scheduler/framework. */
export const EVENT_LABELS: Readonly<Record<ClusterEvent, string>> = {
  'node added': 'NodeAdd',
  'node deleted': 'NodeDelete',
  'node labels': 'NodeUpdateNodeLabel',
  'node taints': 'NodeUpdateNodeTaint',
  'node allocatable': 'NodeUpdateNodeAllocatable',
  'node features': 'NodeUpdateNodeDeclaredFeature',
  'assigned pod added': 'AssignedPodAdd',
  'assigned pod labels': 'AssignedPodUpdatePodLabel',
  'assigned pod resources': 'AssignedPodUpdatePodScaleDown',
  'assigned pod deleted': 'AssignedPodDelete',
  claim: 'PersistentVolumeClaimUpdate',
  volume: 'PersistentVolumeUpdate',
  class: 'StorageClassUpdate',
  'storage node': 'CSINodeUpdate',
  'device claim': 'ResourceClaimUpdate',
  'device class': 'DeviceClassUpdate',
  device: 'ResourceSliceUpdate',
  workload: 'WorkloadAdd',
  'pod group': 'PodGroupAdd',
  'composite pod group': 'CompositePodGroupAdd',
  'pod of group': 'UnscheduledPodAdd',
}

/** Reports whether an event may help a pod that the plugins rejected. */
export const isHelpful = (event: ClusterEvent, rejectedBy: ReadonlySet<string>): boolean =>
  [...rejectedBy].some(plugin => EVENTS[plugin]?.includes(event) ?? true)
