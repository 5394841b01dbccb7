import type { CustomResourceDefinition } from '../../api/apiextensions/v1.types.ts'
import type { APIService } from '../../api/apiregistration/v1.types.ts'
import type { StorageVersion } from '../../api/apiserverinternal/v1alpha1.types.ts'
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../../api/apps/v1.types.ts'
import type { SubjectAccessReview } from '../../api/authorization/v1.types.ts'
import type { HorizontalPodAutoscaler } from '../../api/autoscaling/v2.types.ts'
import type { CronJob, Job } from '../../api/batch/v1.types.ts'
import type { CertificateSigningRequest, ClusterTrustBundle, PodCertificateRequest } from '../../api/certificates/v1.types.ts'
import type { Lease } from '../../api/coordination/v1.types.ts'
import type {
  ConfigMap,
  Endpoints,
  Event,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  Secret,
  Service,
  ServiceAccount,
} from '../../api/core/v1.types.ts'
import type { EndpointSlice } from '../../api/discovery/v1.types.ts'
import type { Event as EventV1 } from '../../api/events/v1.types.ts'
import type { TypedObject } from '../../api/meta/object.ts'
import type { IPAddress, ServiceCIDR } from '../../api/networking/v1.types.ts'
import type { PodDisruptionBudget } from '../../api/policy/v1.types.ts'
import type { DeviceTaintRule, ResourcePoolStatusRequest } from '../../api/resource/v1alpha3.types.ts'
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment } from '../../api/storage/v1.types.ts'
import type { ResourceKind } from '../../clients/api-client.ts'

const coreKind = <T extends TypedObject>(kind: string, resource: string, namespaced = true): ResourceKind<T> => ({
  group: '',
  version: 'v1',
  resource,
  kind,
  namespaced,
})

const namespacedKind = <T extends TypedObject>(group: string, kind: string, resource: string): ResourceKind<T> => ({
  group,
  version: 'v1',
  resource,
  kind,
  namespaced: true,
})

const clusterKind = <T extends TypedObject>(group: string, kind: string, resource: string): ResourceKind<T> => ({
  ...namespacedKind<T>(group, kind, resource),
  namespaced: false,
})

/** Kinds that the cluster reads or writes, in the version in which it does. A kind is listed only if code uses it. */

export const PODS = coreKind<Pod>('Pod', 'pods')
export const NODES = coreKind<Node>('Node', 'nodes', false)
export const NAMESPACES = coreKind<Namespace>('Namespace', 'namespaces', false)
export const SERVICES = coreKind<Service>('Service', 'services')
export const ENDPOINTS = coreKind<Endpoints>('Endpoints', 'endpoints')
export const CONFIG_MAPS = coreKind<ConfigMap>('ConfigMap', 'configmaps')
export const SECRETS = coreKind<Secret>('Secret', 'secrets')
export const SERVICE_ACCOUNTS = coreKind<ServiceAccount>('ServiceAccount', 'serviceaccounts')
export const EVENTS = coreKind<Event>('Event', 'events')
export const CLAIMS = coreKind<PersistentVolumeClaim>('PersistentVolumeClaim', 'persistentvolumeclaims')
export const VOLUMES = coreKind<PersistentVolume>('PersistentVolume', 'persistentvolumes', false)
export const CSI_DRIVERS = clusterKind<CSIDriver>('storage.k8s.io', 'CSIDriver', 'csidrivers')
export const CSI_NODES = clusterKind<CSINode>('storage.k8s.io', 'CSINode', 'csinodes')
export const CSI_STORAGE_CAPACITIES = namespacedKind<CSIStorageCapacity>('storage.k8s.io', 'CSIStorageCapacity', 'csistoragecapacities')
export const VOLUME_ATTACHMENTS = clusterKind<VolumeAttachment>('storage.k8s.io', 'VolumeAttachment', 'volumeattachments')
export const STORAGE_CLASSES = clusterKind<StorageClass>('storage.k8s.io', 'StorageClass', 'storageclasses')
/** Events of the other group, in the same storage as EVENTS. */
export const EVENTS_V1 = namespacedKind<EventV1>('events.k8s.io', 'Event', 'events')
export const REPLICATION_CONTROLLERS = coreKind<ReplicationController>('ReplicationController', 'replicationcontrollers')
export const DEPLOYMENTS = namespacedKind<Deployment>('apps', 'Deployment', 'deployments')
export const REPLICA_SETS = namespacedKind<ReplicaSet>('apps', 'ReplicaSet', 'replicasets')
export const JOBS = namespacedKind<Job>('batch', 'Job', 'jobs')
export const CRON_JOBS = namespacedKind<CronJob>('batch', 'CronJob', 'cronjobs')
export const CONTROLLER_REVISIONS = namespacedKind<ControllerRevision>('apps', 'ControllerRevision', 'controllerrevisions')
export const DAEMON_SETS = namespacedKind<DaemonSet>('apps', 'DaemonSet', 'daemonsets')
export const STATEFUL_SETS = namespacedKind<StatefulSet>('apps', 'StatefulSet', 'statefulsets')
export const ENDPOINT_SLICES = namespacedKind<EndpointSlice>('discovery.k8s.io', 'EndpointSlice', 'endpointslices')
export const DISRUPTION_BUDGETS = namespacedKind<PodDisruptionBudget>('policy', 'PodDisruptionBudget', 'poddisruptionbudgets')
export const LEASES = namespacedKind<Lease>('coordination.k8s.io', 'Lease', 'leases')
export const CUSTOM_RESOURCE_DEFINITIONS: ResourceKind<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}
export const AUTOSCALERS: ResourceKind<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  version: 'v2',
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
}
export const STAGES: ResourceKind<TypedObject> = {
  group: 'kwok.x-k8s.io',
  version: 'v1alpha1',
  resource: 'stages',
  kind: 'Stage',
  namespaced: false,
}
export const SIGNING_REQUESTS: ResourceKind<CertificateSigningRequest> = {
  group: 'certificates.k8s.io',
  version: 'v1',
  resource: 'certificatesigningrequests',
  kind: 'CertificateSigningRequest',
  namespaced: false,
}
export const SUBJECT_ACCESS_REVIEWS: ResourceKind<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
}
export const API_SERVICES: ResourceKind<APIService> = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  resource: 'apiservices',
  kind: 'APIService',
  namespaced: false,
}

export const STORAGE_VERSIONS: ResourceKind<StorageVersion> = {
  group: 'internal.apiserver.k8s.io',
  version: 'v1alpha1',
  resource: 'storageversions',
  kind: 'StorageVersion',
  namespaced: false,
}

/** Versions of DeviceTaintRule, newest first. Releases serve one of them, or none. */
export const DEVICE_TAINT_RULES = ['v1', 'v1beta2', 'v1alpha3'].map(
  (version): ResourceKind<DeviceTaintRule> => ({
    group: 'resource.k8s.io',
    version,
    resource: 'devicetaintrules',
    kind: 'DeviceTaintRule',
    namespaced: false,
  }),
)

export const POOL_STATUS_REQUESTS: ResourceKind<ResourcePoolStatusRequest> = {
  group: 'resource.k8s.io',
  version: 'v1alpha3',
  resource: 'resourcepoolstatusrequests',
  kind: 'ResourcePoolStatusRequest',
  namespaced: false,
}

/** Versions that ServiceCIDR and IPAddress have had. */
const NETWORK_VERSIONS = ['v1', 'v1beta1', 'v1alpha1'] as const

const networkKind = <T extends TypedObject>(version: string, kind: string, resource: string): ResourceKind<T> => ({
  group: 'networking.k8s.io',
  version,
  resource,
  kind,
  namespaced: false,
})

/** Versions of ServiceCIDR, newest first. Releases serve some of them, or none. */
export const SERVICE_CIDRS = NETWORK_VERSIONS.map(version => networkKind<ServiceCIDR>(version, 'ServiceCIDR', 'servicecidrs'))

/** Versions of IPAddress, newest first. A release serves those of ServiceCIDR. */
export const IP_ADDRESSES = NETWORK_VERSIONS.map(version => networkKind<IPAddress>(version, 'IPAddress', 'ipaddresses'))

/** Versions that the kinds of certificates.k8s.io have had. */
const CERTIFICATE_VERSIONS = ['v1', 'v1beta1', 'v1alpha1'] as const

/** Versions of ClusterTrustBundle, newest first. Releases serve some of them, or none. */
export const TRUST_BUNDLES = CERTIFICATE_VERSIONS.map(
  (version): ResourceKind<ClusterTrustBundle> => ({
    group: 'certificates.k8s.io',
    version,
    resource: 'clustertrustbundles',
    kind: 'ClusterTrustBundle',
    namespaced: false,
  }),
)

/** Versions of PodCertificateRequest, newest first. Releases serve some of them, or none. */
export const POD_CERTIFICATE_REQUESTS = CERTIFICATE_VERSIONS.map(
  (version): ResourceKind<PodCertificateRequest> => ({
    group: 'certificates.k8s.io',
    version,
    resource: 'podcertificaterequests',
    kind: 'PodCertificateRequest',
    namespaced: true,
  }),
)
export const METRICS: ResourceKind<TypedObject> = {
  group: 'kwok.x-k8s.io',
  version: 'v1alpha1',
  resource: 'metrics',
  kind: 'Metric',
  namespaced: false,
}
