/**
 * Names of Go fields that cannot be derived from JSON names, and differences between kube-apiserver's internal types
 * and those of a version.
 */

/** Words that Go capitalises at the beginning of a name. */
const CAPITALS =
  /^(api|aws|csi|dns|fc|fs|gce|gid|gmsa|grpc|http|id|ip|iqn|iscsi|nfs|os|pd|pkix|qos|rbd|se|ssl|tcp|ttl|tty|uid|uri|url)(?=[A-Z]|$)/

/** Irregular field names of any struct. */
const NAMES: Readonly<Record<string, string>> = {
  cephfs: 'CephFS',
  cidr: 'CIDR',
  cidrs: 'CIDRs',
  chapAuthDiscovery: 'DiscoveryCHAPAuth',
  chapAuthSession: 'SessionCHAPAuth',
  diskURI: 'DataDiskURI',
  lastState: 'LastTerminationState',
  metadata: 'ObjectMeta',
  pdID: 'PdID',
  storageos: 'StorageOS',
  tls: 'TLS',
  wwids: 'WWIDs',
}

/** Irregular field names by struct and JSON name. */
const NAMES_IN: Readonly<Record<string, string>> = {
  'core.GlusterfsVolumeSource.endpoints': 'EndpointsName',
  'core.GlusterfsPersistentVolumeSource.endpoints': 'EndpointsName',
  'core.RBDVolumeSource.monitors': 'CephMonitors',
  'core.RBDVolumeSource.image': 'RBDImage',
  'core.RBDVolumeSource.pool': 'RBDPool',
  'core.RBDVolumeSource.user': 'RadosUser',
  'core.RBDPersistentVolumeSource.monitors': 'CephMonitors',
  'core.RBDPersistentVolumeSource.image': 'RBDImage',
  'core.RBDPersistentVolumeSource.pool': 'RBDPool',
  'core.RBDPersistentVolumeSource.user': 'RadosUser',
  'resource.DeviceAttribute.bool': 'BoolValue',
  'resource.DeviceAttribute.int': 'IntValue',
  'resource.DeviceAttribute.string': 'StringValue',
  'resource.DeviceAttribute.version': 'VersionValue',
}

/** Returns the Go name of a field: `FSGroup` for `fsGroup`. */
export const goFieldName = (struct: string, json: string): string =>
  NAMES_IN[`${struct}.${json}`] ??
  NAMES[json] ??
  json.replace(CAPITALS, word => word.toUpperCase()).replace(/^./, first => first.toUpperCase())

/** Members of a pod's spec that are the first fields of the internal security context. */
export const HOST_MEMBERS: readonly string[] = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers']

/** Fields in the order of types.go in kubernetes/pkg/apis/core. */
const POD_SPEC =
  'volumes initContainers containers ephemeralContainers restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName ' +
  'automountServiceAccountToken nodeName securityContext imagePullSecrets hostname subdomain setHostnameAsFQDN affinity schedulerName tolerations hostAliases priorityClassName ' +
  'priority preemptionPolicy dnsConfig readinessGates runtimeClassName overhead enableServiceLinks topologySpreadConstraints os schedulingGates resourceClaims resources hostnameOverride workloadRef schedulingGroup'
const POD_SECURITY_CONTEXT =
  'seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot supplementalGroups supplementalGroupsPolicy fsGroup fsGroupChangePolicy sysctls seccompProfile appArmorProfile ' +
  'seLinuxChangePolicy'

const VOLUME_SOURCE =
  'hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs persistentVolumeClaim rbd quobyte flexVolume cinder cephfs flocker downwardAPI fc ' +
  'azureFile configMap vsphereVolume azureDisk photonPersistentDisk projected portworxVolume scaleIO storageos csi ephemeral image'
const PERSISTENT_VOLUME_SOURCE =
  'gcePersistentDisk awsElasticBlockStore hostPath glusterfs nfs rbd quobyte iscsi flexVolume cinder cephfs fc flocker azureFile vsphereVolume azureDisk photonPersistentDisk ' +
  'portworxVolume scaleIO local storageos csi'

/** JSON names of the fields of a struct in the order of the internal type, if it differs from the version's. */
export const FIELD_ORDER: Readonly<Record<string, readonly string[]>> = {
  'core.PodSpec': POD_SPEC.split(' '),
  'core.PodSecurityContext': POD_SECURITY_CONTEXT.split(' '),
  'core.VolumeSource': VOLUME_SOURCE.split(' '),
  'core.PersistentVolumeSource': PERSISTENT_VOLUME_SOURCE.split(' '),
}

/** Members that are pointers in a version but plain values in the internal type, by struct and JSON name. */
export const PLAIN_VALUES: ReadonlySet<string> = new Set([
  'core.ServiceAccountTokenProjection.expirationSeconds',
  'apps.DeploymentSpec.replicas',
  'apps.ReplicaSetSpec.replicas',
  'apps.StatefulSetSpec.replicas',
  'apps.RollingUpdateStatefulSetStrategy.partition',
  'apps.RollingUpdateDaemonSet.maxSurge',
  'apps.RollingUpdateDaemonSet.maxUnavailable',
  'apps.RollingUpdateDeployment.maxSurge',
  'apps.RollingUpdateDeployment.maxUnavailable',
])
