/** Controllers that run in every profile but `apiserver`, by their names in kube-controller-manager. */
export const CONTROLLER_NAMES = [
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'resourcequota-controller',
  'persistentvolumeclaim-protection-controller',
  'persistentvolume-protection-controller',
  'volumeattributesclass-protection-controller',
  'validatingadmissionpolicy-status-controller',
] as const

/**
 * Parts of `src/cluster`, which run in the profile `cluster`: controllers by their names in kube-controller-manager, a
 * scheduler, kubelets and a storage driver.
 */
export const CLUSTER_PART_NAMES = [
  'deployment-controller',
  'replicaset-controller',
  'replicationcontroller-controller',
  'statefulset-controller',
  'daemonset-controller',
  'job-controller',
  'cronjob-controller',
  'ttl-after-finished-controller',
  'scheduler',
  'kubelet',
  'volume-driver',
  'horizontal-pod-autoscaler-controller',
  'bootstrap-signer-controller',
  'kube-apiserver-serving-clustertrustbundle-publisher-controller',
  'podcertificaterequest-cleaner-controller',
  'legacy-serviceaccount-token-cleaner-controller',
  'service-cidr-controller',
  'service-lb-controller',
  'storage-version-migrator-controller',
  'storageversion-garbage-collector-controller',
  'token-cleaner-controller',
  'ttl-controller',
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'certificatesigningrequest-signing-controller',
  'device-taint-eviction-controller',
  'disruption-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'node-ipam-controller',
  'persistentvolume-expander-controller',
  'ephemeral-volume-controller',
  'node-lifecycle-controller',
  'pod-garbage-collector-controller',
  'resourceclaim-controller',
  'resourcepoolstatusrequest-controller',
  'taint-eviction-controller',
] as const

/** Parts that run only if they are named, as in kube-controller-manager. */
export const OFF_BY_DEFAULT: readonly ClusterPartName[] = ['bootstrap-signer-controller', 'token-cleaner-controller']

/** Controllers of kube-controller-manager that are not built. */
export const MISSING_CONTROLLERS: readonly string[] = [
  'cloud-node-lifecycle-controller',
  'node-route-controller',
  'selinux-warning-controller',
]

/**
 * Names that kube-controller-manager had until 1.27 and still accepts, with those that replaced them. kubeadm starts it
 * with `--controllers=*,bootstrapsigner,tokencleaner`.
 */
export const CONTROLLER_ALIASES: ReadonlyMap<string, string> = new Map([
  ['attachdetach', 'persistentvolume-attach-detach-controller'],
  ['bootstrapsigner', 'bootstrap-signer-controller'],
  ['cloud-node-lifecycle', 'cloud-node-lifecycle-controller'],
  ['clusterrole-aggregation', 'clusterrole-aggregation-controller'],
  ['cronjob', 'cronjob-controller'],
  ['csrapproving', 'certificatesigningrequest-approving-controller'],
  ['csrcleaner', 'certificatesigningrequest-cleaner-controller'],
  ['csrsigning', 'certificatesigningrequest-signing-controller'],
  ['daemonset', 'daemonset-controller'],
  ['deployment', 'deployment-controller'],
  ['disruption', 'disruption-controller'],
  ['endpoint', 'endpoints-controller'],
  ['endpointslice', 'endpointslice-controller'],
  ['endpointslicemirroring', 'endpointslice-mirroring-controller'],
  ['ephemeral-volume', 'ephemeral-volume-controller'],
  ['garbagecollector', 'garbage-collector-controller'],
  ['horizontalpodautoscaling', 'horizontal-pod-autoscaler-controller'],
  ['job', 'job-controller'],
  ['legacy-service-account-token-cleaner', 'legacy-serviceaccount-token-cleaner-controller'],
  ['namespace', 'namespace-controller'],
  ['nodeipam', 'node-ipam-controller'],
  ['nodelifecycle', 'node-lifecycle-controller'],
  ['persistentvolume-binder', 'persistentvolume-binder-controller'],
  ['persistentvolume-expander', 'persistentvolume-expander-controller'],
  ['podgc', 'pod-garbage-collector-controller'],
  ['pv-protection', 'persistentvolume-protection-controller'],
  ['pvc-protection', 'persistentvolumeclaim-protection-controller'],
  ['replicaset', 'replicaset-controller'],
  ['replicationcontroller', 'replicationcontroller-controller'],
  ['resource-claim-controller', 'resourceclaim-controller'],
  ['resourcequota', 'resourcequota-controller'],
  ['root-ca-cert-publisher', 'root-ca-certificate-publisher-controller'],
  ['route', 'node-route-controller'],
  ['service', 'service-lb-controller'],
  ['serviceaccount', 'serviceaccount-controller'],
  ['serviceaccount-token', 'serviceaccount-token-controller'],
  ['statefulset', 'statefulset-controller'],
  ['storage-version-gc', 'storageversion-garbage-collector-controller'],
  ['tokencleaner', 'token-cleaner-controller'],
  ['ttl', 'ttl-controller'],
  ['ttl-after-finished', 'ttl-after-finished-controller'],
])

export type ClusterPartName = (typeof CLUSTER_PART_NAMES)[number]

/** Name of a controller or part that `--controllers` can enable or disable. */
export type ControllerName = (typeof CONTROLLER_NAMES)[number] | ClusterPartName

/** All names that can be enabled. */
export const BUILT_CONTROLLERS: readonly ControllerName[] = [...CONTROLLER_NAMES, ...CLUSTER_PART_NAMES]

const PARTS: ReadonlySet<string> = new Set(CLUSTER_PART_NAMES)

export const isClusterPart = (name: string): name is ClusterPartName => PARTS.has(name)
