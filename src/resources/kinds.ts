import type {
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../api/admissionregistration/v1.types.ts'
import type { MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding } from '../api/admissionregistration/v1alpha1.types.ts'
import type { CustomResourceDefinition } from '../api/apiextensions/v1.types.ts'
import type { APIService } from '../api/apiregistration/v1.types.ts'
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../api/apps/v1.types.ts'
import type { CronJob, Job } from '../api/batch/v1.types.ts'
import type { CertificateSigningRequest } from '../api/certificates/v1.types.ts'
import type { ClusterTrustBundle, PodCertificateRequest } from '../api/certificates/v1beta1.types.ts'
import type { Lease } from '../api/coordination/v1.types.ts'
import type {
  Binding,
  ConfigMap,
  Endpoints,
  Event,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodTemplate,
  RangeAllocation,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from '../api/core/v1.types.ts'
import type { EndpointSlice } from '../api/discovery/v1.types.ts'
import type { FlowSchema, PriorityLevelConfiguration } from '../api/flowcontrol/v1.types.ts'
import type { Ingress, IngressClass, IPAddress, ServiceCIDR } from '../api/networking/v1.types.ts'
import type { RuntimeClass } from '../api/node/v1.types.ts'
import type { PodDisruptionBudget } from '../api/policy/v1.types.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../api/rbac/v1.types.ts'
import type { ResourceSlice } from '../api/resource/v1beta2.types.ts'
import type { PriorityClass } from '../api/scheduling/v1.types.ts'
import type { CompositePodGroup, PodGroup } from '../api/scheduling/v1beta1.types.ts'
import type { CSIDriver, StorageClass, VolumeAttachment } from '../api/storage/v1.types.ts'
import type { VolumeAttributesClass } from '../api/storage/v1beta1.types.ts'
import { kindId } from '../catalog/define.ts'

/**
 * Kinds that the server itself reads and writes, with their types: `getKind(api, PODS, namespace, name)` returns a Pod.
 * A kind is listed only if code uses it.
 */

export const CONFIG_MAPS = kindId<ConfigMap>('', 'configmaps')
export const ENDPOINTS = kindId<Endpoints>('', 'endpoints')
export const EVENTS = kindId<Event>('', 'events')
export const LIMIT_RANGES = kindId<LimitRange>('', 'limitranges')
export const NAMESPACES = kindId<Namespace>('', 'namespaces')
export const BINDINGS = kindId<Binding>('', 'bindings')
export const NODES = kindId<Node>('', 'nodes')
export const CLAIMS = kindId<PersistentVolumeClaim>('', 'persistentvolumeclaims')
export const VOLUMES = kindId<PersistentVolume>('', 'persistentvolumes')
export const PODS = kindId<Pod>('', 'pods')
export const POD_TEMPLATES = kindId<PodTemplate>('', 'podtemplates')
export const REPLICATION_CONTROLLERS = kindId<ReplicationController>('', 'replicationcontrollers')
export const QUOTAS = kindId<ResourceQuota>('', 'resourcequotas')
export const RANGE_ALLOCATIONS = kindId<RangeAllocation>('', 'rangeallocations')
export const SECRETS = kindId<Secret>('', 'secrets')
export const SERVICES = kindId<Service>('', 'services')
export const SERVICE_ACCOUNTS = kindId<ServiceAccount>('', 'serviceaccounts')

export const MUTATING_WEBHOOKS = kindId<MutatingWebhookConfiguration>('admissionregistration.k8s.io', 'mutatingwebhookconfigurations')
export const VALIDATING_WEBHOOKS = kindId<ValidatingWebhookConfiguration>('admissionregistration.k8s.io', 'validatingwebhookconfigurations')
export const MUTATING_POLICIES = kindId<MutatingAdmissionPolicy>('admissionregistration.k8s.io', 'mutatingadmissionpolicies')
export const MUTATING_POLICY_BINDINGS = kindId<MutatingAdmissionPolicyBinding>(
  'admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings',
)
export const VALIDATING_POLICIES = kindId<ValidatingAdmissionPolicy>('admissionregistration.k8s.io', 'validatingadmissionpolicies')
export const VALIDATING_POLICY_BINDINGS = kindId<ValidatingAdmissionPolicyBinding>(
  'admissionregistration.k8s.io',
  'validatingadmissionpolicybindings',
)

export const CUSTOM_RESOURCE_DEFINITIONS = kindId<CustomResourceDefinition>('apiextensions.k8s.io', 'customresourcedefinitions')
export const API_SERVICES = kindId<APIService>('apiregistration.k8s.io', 'apiservices')

export const DAEMON_SETS = kindId<DaemonSet>('apps', 'daemonsets')
export const DEPLOYMENTS = kindId<Deployment>('apps', 'deployments')
export const REPLICA_SETS = kindId<ReplicaSet>('apps', 'replicasets')
export const STATEFUL_SETS = kindId<StatefulSet>('apps', 'statefulsets')
export const CRON_JOBS = kindId<CronJob>('batch', 'cronjobs')
export const JOBS = kindId<Job>('batch', 'jobs')

export const SIGNING_REQUESTS = kindId<CertificateSigningRequest>('certificates.k8s.io', 'certificatesigningrequests')
export const POD_CERTIFICATE_REQUESTS = kindId<PodCertificateRequest>('certificates.k8s.io', 'podcertificaterequests')
export const TRUST_BUNDLES = kindId<ClusterTrustBundle>('certificates.k8s.io', 'clustertrustbundles')

export const LEASES = kindId<Lease>('coordination.k8s.io', 'leases')
export const ENDPOINT_SLICES = kindId<EndpointSlice>('discovery.k8s.io', 'endpointslices')

export const FLOW_SCHEMAS = kindId<FlowSchema>('flowcontrol.apiserver.k8s.io', 'flowschemas')
export const PRIORITY_LEVELS = kindId<PriorityLevelConfiguration>('flowcontrol.apiserver.k8s.io', 'prioritylevelconfigurations')

export const INGRESSES = kindId<Ingress>('networking.k8s.io', 'ingresses')
export const INGRESS_CLASSES = kindId<IngressClass>('networking.k8s.io', 'ingressclasses')
export const IP_ADDRESSES = kindId<IPAddress>('networking.k8s.io', 'ipaddresses')
export const SERVICE_CIDRS = kindId<ServiceCIDR>('networking.k8s.io', 'servicecidrs')

export const RUNTIME_CLASSES = kindId<RuntimeClass>('node.k8s.io', 'runtimeclasses')
export const DISRUPTION_BUDGETS = kindId<PodDisruptionBudget>('policy', 'poddisruptionbudgets')

export const CLUSTER_ROLES = kindId<ClusterRole>('rbac.authorization.k8s.io', 'clusterroles')
export const CLUSTER_ROLE_BINDINGS = kindId<ClusterRoleBinding>('rbac.authorization.k8s.io', 'clusterrolebindings')
export const ROLES = kindId<Role>('rbac.authorization.k8s.io', 'roles')
export const ROLE_BINDINGS = kindId<RoleBinding>('rbac.authorization.k8s.io', 'rolebindings')

export const RESOURCE_SLICES = kindId<ResourceSlice>('resource.k8s.io', 'resourceslices')

export const PRIORITY_CLASSES = kindId<PriorityClass>('scheduling.k8s.io', 'priorityclasses')
export const POD_GROUPS = kindId<PodGroup>('scheduling.k8s.io', 'podgroups')
export const COMPOSITE_POD_GROUPS = kindId<CompositePodGroup>('scheduling.k8s.io', 'compositepodgroups')
export const CSI_DRIVERS = kindId<CSIDriver>('storage.k8s.io', 'csidrivers')
export const STORAGE_CLASSES = kindId<StorageClass>('storage.k8s.io', 'storageclasses')
export const VOLUME_ATTACHMENTS = kindId<VolumeAttachment>('storage.k8s.io', 'volumeattachments')
export const VOLUME_ATTRIBUTES_CLASSES = kindId<VolumeAttributesClass>('storage.k8s.io', 'volumeattributesclasses')
