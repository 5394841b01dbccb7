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

export type ClusterPartName = (typeof CLUSTER_PART_NAMES)[number]

/** Name of a controller or part that `--controllers` can enable or disable. */
export type ControllerName = (typeof CONTROLLER_NAMES)[number] | ClusterPartName

/** All names that can be enabled. */
export const BUILT_CONTROLLERS: readonly ControllerName[] = [...CONTROLLER_NAMES, ...CLUSTER_PART_NAMES]

const PARTS: ReadonlySet<string> = new Set(CLUSTER_PART_NAMES)

export const isClusterPart = (name: string): name is ClusterPartName => PARTS.has(name)
