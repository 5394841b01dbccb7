import type { Release } from './release.ts'

/** Deprecation of a kind as a release announces it. */
export interface LifecyclePlan {
  /** First release that warns of its use. */
  readonly deprecated?: Release
  /** First release without it, if decided. */
  readonly removed?: Release
  /** apiVersion and kind of the replacement: `networking.k8s.io/v1 Ingress`. */
  readonly replacement?: string
}

/** Lifecycle of a kind in one version of its group. */
export interface Lifecycle extends LifecyclePlan {
  readonly introduced: Release
  /** First release without it, if earlier than announced. Alpha versions may be removed without notice. */
  readonly withdrawn?: Release
  /** Announcement of releases before `until`. */
  readonly formerly?: LifecyclePlan & { readonly until: Release }
}

/** Lifecycle of a kind that exists from `introduced`, is deprecated from `deprecated` and removed in `removed`. */
const since = (introduced: Release, deprecated?: Release, removed?: Release, replacement?: string): Lifecycle => ({
  introduced,
  ...(deprecated !== undefined && { deprecated }),
  ...(removed !== undefined && { removed }),
  ...(replacement !== undefined && { replacement }),
})

/** Adds an announcement that a later release changed. */
const formerly = (until: Release, plan: LifecyclePlan, life: Lifecycle): Lifecycle => ({ ...life, formerly: { until, ...plan } })

const withdrawn = (release: Release, life: Lifecycle): Lifecycle => ({ ...life, withdrawn: release })

/**
 * Lifecycles by apiVersion and kind: everything that any release since 1.19 served, as declared in the newest release
 * that has it. Lists have the lifecycle of their items.
 * https://kubernetes.io/docs/reference/using-api/deprecation-guide/
 */
export const LIFECYCLES: Readonly<Record<string, Readonly<Record<string, Lifecycle>>>> = {
  v1: {
    Binding: since('1.0'),
    ComponentStatus: since('1.0', '1.19'),
    ConfigMap: since('1.2'),
    Endpoints: since('1.0', '1.33', undefined, 'discovery.k8s.io/v1 EndpointSlice'),
    Event: since('1.0'),
    LimitRange: since('1.0'),
    Namespace: since('1.0'),
    Node: since('1.0'),
    PersistentVolume: since('1.0'),
    PersistentVolumeClaim: since('1.0'),
    Pod: since('1.0'),
    PodTemplate: since('1.0'),
    ReplicationController: since('1.0'),
    ResourceQuota: since('1.0'),
    Secret: since('1.0'),
    Service: since('1.0'),
    ServiceAccount: since('1.0'),
  },
  'admissionregistration.k8s.io/v1': {
    MutatingAdmissionPolicy: since('1.36'),
    MutatingAdmissionPolicyBinding: since('1.36'),
    MutatingWebhookConfiguration: since('1.16'),
    ValidatingAdmissionPolicy: since('1.30'),
    ValidatingAdmissionPolicyBinding: since('1.30'),
    ValidatingWebhookConfiguration: since('1.16'),
  },
  'admissionregistration.k8s.io/v1beta1': {
    MutatingAdmissionPolicy: since('1.34', '1.37', '1.40', 'admissionregistration.k8s.io/v1 MutatingAdmissionPolicy'),
    MutatingAdmissionPolicyBinding: since('1.34', '1.37', '1.40', 'admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding'),
    MutatingWebhookConfiguration: since('1.9', '1.16', '1.22', 'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration'),
    ValidatingAdmissionPolicy: since('1.28', '1.31', '1.34'),
    ValidatingAdmissionPolicyBinding: since('1.28', '1.31', '1.34'),
    ValidatingWebhookConfiguration: since('1.9', '1.16', '1.22', 'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration'),
  },
  'admissionregistration.k8s.io/v1alpha1': {
    MutatingAdmissionPolicy: formerly(
      '1.38',
      { deprecated: '1.35', removed: '1.38' },
      since('1.32', '1.35', undefined, 'admissionregistration.k8s.io/v1 MutatingAdmissionPolicy'),
    ),
    MutatingAdmissionPolicyBinding: formerly(
      '1.38',
      { deprecated: '1.35', removed: '1.38' },
      since('1.32', '1.35', undefined, 'admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding'),
    ),
    ValidatingAdmissionPolicy: since('1.26', '1.29', '1.32'),
    ValidatingAdmissionPolicyBinding: since('1.26', '1.29', '1.32'),
  },
  'apiextensions.k8s.io/v1': {
    CustomResourceDefinition: since('1.16'),
  },
  'apiextensions.k8s.io/v1beta1': {
    CustomResourceDefinition: since('1.7', '1.16', '1.22', 'apiextensions.k8s.io/v1 CustomResourceDefinition'),
  },
  'apiregistration.k8s.io/v1': {
    APIService: since('1.10'),
  },
  'apiregistration.k8s.io/v1beta1': {
    APIService: since('1.7', '1.19', '1.22', 'apiregistration.k8s.io/v1 APIService'),
  },
  'apps/v1': {
    ControllerRevision: since('1.9'),
    DaemonSet: since('1.9'),
    Deployment: since('1.9'),
    ReplicaSet: since('1.9'),
    StatefulSet: since('1.9'),
  },
  'apps/v1beta2': {
    ControllerRevision: since('1.8', '1.9', '1.16', 'apps/v1 ControllerRevision'),
    DaemonSet: since('1.8', '1.9', '1.16', 'apps/v1 DaemonSet'),
    Deployment: since('1.8', '1.9', '1.16', 'apps/v1 Deployment'),
    ReplicaSet: since('1.8', '1.9', '1.16', 'apps/v1 ReplicaSet'),
    Scale: since('1.8', '1.9', '1.16', 'autoscaling/v1 Scale'),
    StatefulSet: since('1.8', '1.9', '1.16', 'apps/v1 StatefulSet'),
  },
  'apps/v1beta1': {
    ControllerRevision: since('1.7', '1.8', '1.16', 'apps/v1 ControllerRevision'),
    Deployment: since('1.6', '1.8', '1.16', 'apps/v1 Deployment'),
    Scale: since('1.6', '1.8', '1.16', 'autoscaling/v1 Scale'),
    StatefulSet: since('1.5', '1.8', '1.16', 'apps/v1 StatefulSet'),
  },
  'authentication.k8s.io/v1': {
    SelfSubjectReview: since('1.28'),
    TokenRequest: since('1.10'),
    TokenReview: since('1.6'),
  },
  'authentication.k8s.io/v1beta1': {
    SelfSubjectReview: since('1.27', '1.30', '1.33'),
    TokenReview: since('1.4', '1.19', '1.22', 'authentication.k8s.io/v1 TokenReview'),
  },
  'authentication.k8s.io/v1alpha1': {
    SelfSubjectReview: since('1.26', '1.29', '1.32'),
  },
  'authorization.k8s.io/v1': {
    LocalSubjectAccessReview: since('1.19'),
    SelfSubjectAccessReview: since('1.19'),
    SelfSubjectRulesReview: since('1.19'),
    SubjectAccessReview: since('1.6'),
  },
  'authorization.k8s.io/v1beta1': {
    LocalSubjectAccessReview: since('1.2', '1.19', '1.22', 'authorization.k8s.io/v1 LocalSubjectAccessReview'),
    SelfSubjectAccessReview: since('1.2', '1.19', '1.22', 'authorization.k8s.io/v1 SelfSubjectAccessReview'),
    SelfSubjectRulesReview: since('1.8', '1.19', '1.22', 'authorization.k8s.io/v1 SelfSubjectRulesReview'),
    SubjectAccessReview: since('1.2', '1.19', '1.22', 'authorization.k8s.io/v1 SubjectAccessReview'),
  },
  'autoscaling/v2': {
    HorizontalPodAutoscaler: since('1.23'),
  },
  'autoscaling/v1': {
    HorizontalPodAutoscaler: since('1.2'),
    Scale: since('1.2'),
  },
  'autoscaling/v2beta2': {
    HorizontalPodAutoscaler: since('1.12', '1.23', '1.26', 'autoscaling/v2 HorizontalPodAutoscaler'),
  },
  'autoscaling/v2beta1': {
    HorizontalPodAutoscaler: since('1.8', '1.22', '1.25', 'autoscaling/v2 HorizontalPodAutoscaler'),
  },
  'batch/v1': {
    CronJob: since('1.21'),
    Job: since('1.2'),
  },
  'batch/v1beta1': {
    CronJob: since('1.8', '1.21', '1.25', 'batch/v1 CronJob'),
  },
  'certificates.k8s.io/v1': {
    CertificateSigningRequest: since('1.19'),
    ClusterTrustBundle: since('1.37'),
    PodCertificateRequest: since('1.37'),
  },
  'certificates.k8s.io/v1beta1': {
    CertificateSigningRequest: since('1.12', '1.19', '1.22', 'certificates.k8s.io/v1 CertificateSigningRequest'),
    ClusterTrustBundle: formerly(
      '1.37',
      { deprecated: '1.37', removed: '1.40' },
      since('1.33', '1.37', '1.40', 'certificates.k8s.io/v1 ClusterTrustBundle'),
    ),
    PodCertificateRequest: formerly(
      '1.37',
      { deprecated: '1.38', removed: '1.41' },
      since('1.35', '1.37', '1.40', 'certificates.k8s.io/v1 PodCertificateRequest'),
    ),
  },
  'certificates.k8s.io/v1alpha1': {
    // Declared since 1.26, but served since 1.27.
    ClusterTrustBundle: formerly('1.32', { deprecated: '1.29', removed: '1.32' }, since('1.27', '1.34', '1.37')),
    PodCertificateRequest: withdrawn('1.35', since('1.34', '1.37', '1.40')),
  },
  'coordination.k8s.io/v1': {
    Lease: since('1.14'),
  },
  'coordination.k8s.io/v1beta1': {
    Lease: since('1.12', '1.19', '1.22', 'coordination.k8s.io/v1 Lease'),
    LeaseCandidate: since('1.33', '1.36', '1.39'),
  },
  'coordination.k8s.io/v1alpha2': {
    LeaseCandidate: formerly('1.38', { deprecated: '1.35', removed: '1.38' }, since('1.32', '1.35')),
  },
  'coordination.k8s.io/v1alpha1': {
    LeaseCandidate: withdrawn('1.32', since('1.31', '1.34', '1.37')),
  },
  'discovery.k8s.io/v1': {
    EndpointSlice: since('1.21'),
  },
  'discovery.k8s.io/v1beta1': {
    EndpointSlice: since('1.16', '1.21', '1.25', 'discovery.k8s.io/v1 EndpointSlice'),
  },
  'events.k8s.io/v1': {
    Event: since('1.19'),
  },
  'events.k8s.io/v1beta1': {
    Event: since('1.8', '1.22', '1.25'),
  },
  'extensions/v1beta1': {
    DaemonSet: since('1.1', '1.8', '1.16', 'apps/v1 DaemonSet'),
    Deployment: since('1.1', '1.8', '1.16', 'apps/v1 Deployment'),
    Ingress: since('1.1', '1.14', '1.22', 'networking.k8s.io/v1 Ingress'),
    NetworkPolicy: since('1.3', '1.9', '1.16', 'networking.k8s.io/v1 NetworkPolicy'),
    PodSecurityPolicy: since('1.2', '1.11', '1.16', 'policy/v1beta1 PodSecurityPolicy'),
    ReplicaSet: since('1.2', '1.8', '1.16', 'apps/v1 ReplicaSet'),
    Scale: since('1.1', '1.2', '1.16'),
  },
  'flowcontrol.apiserver.k8s.io/v1': {
    FlowSchema: since('1.29'),
    PriorityLevelConfiguration: since('1.29'),
  },
  'flowcontrol.apiserver.k8s.io/v1beta3': {
    FlowSchema: since('1.26', '1.29', '1.32', 'flowcontrol.apiserver.k8s.io/v1 FlowSchema'),
    PriorityLevelConfiguration: since('1.26', '1.29', '1.32', 'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration'),
  },
  'flowcontrol.apiserver.k8s.io/v1beta2': {
    FlowSchema: since('1.23', '1.26', '1.29', 'flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema'),
    PriorityLevelConfiguration: since('1.23', '1.26', '1.29', 'flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration'),
  },
  'flowcontrol.apiserver.k8s.io/v1beta1': {
    FlowSchema: formerly(
      '1.26',
      { deprecated: '1.23', removed: '1.26', replacement: 'flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema' },
      since('1.20', '1.23', '1.26', 'flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema'),
    ),
    PriorityLevelConfiguration: formerly(
      '1.26',
      { deprecated: '1.23', removed: '1.26', replacement: 'flowcontrol.apiserver.k8s.io/v1beta2 PriorityLevelConfiguration' },
      since('1.20', '1.23', '1.26', 'flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration'),
    ),
  },
  'flowcontrol.apiserver.k8s.io/v1alpha1': {
    FlowSchema: since('1.18', '1.20', '1.21', 'flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema'),
    PriorityLevelConfiguration: since('1.18', '1.20', '1.21', 'flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration'),
  },
  'internal.apiserver.k8s.io/v1alpha1': {
    StorageVersion: since('1.20'),
  },
  'lifecycle.k8s.io/v1alpha1': {
    Eviction: formerly('1.38', { deprecated: '1.40', removed: '1.43' }, since('1.37')),
    EvictionRequest: formerly('1.38', { deprecated: '1.40', removed: '1.43' }, since('1.37')),
  },
  'networking.k8s.io/v1': {
    IPAddress: since('1.33'),
    Ingress: since('1.19'),
    IngressClass: since('1.19'),
    NetworkPolicy: since('1.7'),
    ServiceCIDR: since('1.33'),
  },
  'networking.k8s.io/v1beta1': {
    IPAddress: since('1.31', '1.34', '1.37'),
    Ingress: since('1.14', '1.19', '1.22', 'networking.k8s.io/v1 Ingress'),
    IngressClass: since('1.18', '1.19', '1.22', 'networking.k8s.io/v1 IngressClassList'),
    ServiceCIDR: since('1.31', '1.34', '1.37'),
  },
  'networking.k8s.io/v1alpha1': {
    ClusterCIDR: withdrawn('1.29', since('1.25', '1.28', '1.31')),
    IPAddress: withdrawn('1.31', since('1.27', '1.30', '1.33')),
    // Declared since 1.27, but served since 1.29.
    ServiceCIDR: withdrawn('1.31', since('1.29', '1.30', '1.33')),
  },
  'node.k8s.io/v1': {
    RuntimeClass: since('1.20'),
  },
  'node.k8s.io/v1beta1': {
    RuntimeClass: since('1.13', '1.22', '1.25'),
  },
  'policy/v1': {
    Eviction: since('1.22'),
    PodDisruptionBudget: since('1.21'),
  },
  'policy/v1beta1': {
    Eviction: since('1.5', '1.22', '1.25'),
    PodDisruptionBudget: since('1.5', '1.21', '1.25', 'policy/v1 PodDisruptionBudget'),
    PodSecurityPolicy: since('1.10', '1.21', '1.25'),
  },
  'rbac.authorization.k8s.io/v1': {
    ClusterRole: since('1.8'),
    ClusterRoleBinding: since('1.8'),
    Role: since('1.8'),
    RoleBinding: since('1.8'),
  },
  'rbac.authorization.k8s.io/v1beta1': {
    ClusterRole: since('1.6', '1.17', '1.22', 'rbac.authorization.k8s.io/v1 ClusterRole'),
    ClusterRoleBinding: since('1.6', '1.17', '1.22', 'rbac.authorization.k8s.io/v1 ClusterRoleBinding'),
    Role: since('1.6', '1.17', '1.22', 'rbac.authorization.k8s.io/v1 Role'),
    RoleBinding: since('1.6', '1.17', '1.22', 'rbac.authorization.k8s.io/v1 RoleBinding'),
  },
  'resource.k8s.io/v1': {
    DeviceClass: since('1.34'),
    DeviceTaintRule: since('1.37'),
    ResourceClaim: since('1.34'),
    ResourceClaimTemplate: since('1.34'),
    ResourceSlice: since('1.34'),
  },
  'resource.k8s.io/v1beta2': {
    DeviceClass: since('1.33', '1.36', '1.39'),
    DeviceTaintRule: since('1.36', '1.39', '1.42'),
    ResourceClaim: since('1.33', '1.36', '1.39'),
    ResourceClaimTemplate: since('1.33', '1.36', '1.39'),
    ResourceSlice: since('1.33', '1.36', '1.39'),
  },
  'resource.k8s.io/v1beta1': {
    DeviceClass: since('1.32', '1.35', '1.38'),
    ResourceClaim: since('1.32', '1.35', '1.38'),
    ResourceClaimTemplate: since('1.32', '1.35', '1.38'),
    ResourceSlice: since('1.32', '1.35', '1.38'),
  },
  'resource.k8s.io/v1alpha3': {
    DeviceClass: withdrawn('1.34', since('1.31', '1.34', '1.37', 'resource.k8s.io/v1beta1 DeviceClass')),
    DeviceTaintRule: formerly('1.38', { deprecated: '1.36', removed: '1.39' }, since('1.33', '1.36')),
    PodSchedulingContext: withdrawn('1.32', since('1.31')),
    ResourceClaim: withdrawn('1.34', since('1.31', '1.34', '1.37', 'resource.k8s.io/v1beta1 ResourceClaim')),
    ResourceClaimTemplate: withdrawn('1.34', since('1.31', '1.34', '1.37', 'resource.k8s.io/v1beta1 ResourceClaimTemplate')),
    ResourcePoolStatusRequest: formerly('1.38', { deprecated: '1.39', removed: '1.42' }, since('1.36')),
    ResourceSlice: withdrawn('1.34', since('1.31', '1.34', '1.37', 'resource.k8s.io/v1beta1 ResourceSlice')),
  },
  'resource.k8s.io/v1alpha2': {
    PodSchedulingContext: withdrawn('1.31', since('1.27')),
    ResourceClaim: withdrawn('1.31', since('1.27')),
    ResourceClaimParameters: withdrawn('1.31', since('1.30')),
    ResourceClaimTemplate: withdrawn('1.31', since('1.27')),
    ResourceClass: withdrawn('1.31', since('1.27')),
    ResourceClassParameters: withdrawn('1.31', since('1.30')),
    ResourceSlice: withdrawn('1.31', since('1.30')),
  },
  'resource.k8s.io/v1alpha1': {
    PodScheduling: withdrawn('1.27', since('1.26')),
    ResourceClaim: withdrawn('1.27', since('1.26')),
    ResourceClaimTemplate: withdrawn('1.27', since('1.26')),
    ResourceClass: withdrawn('1.27', since('1.26')),
  },
  'scheduling.k8s.io/v1': {
    PriorityClass: since('1.14'),
  },
  'scheduling.k8s.io/v1alpha3': {
    CompositePodGroup: since('1.37'),
    PodGroup: since('1.37'),
    Workload: since('1.37'),
  },
  'scheduling.k8s.io/v1alpha2': {
    PodGroup: withdrawn('1.37', since('1.36')),
    Workload: withdrawn('1.37', since('1.36')),
  },
  'scheduling.k8s.io/v1alpha1': {
    Workload: withdrawn('1.36', since('1.35')),
  },
  'scheduling.k8s.io/v1beta1': {
    CompositePodGroup: since('1.38', '1.41', '1.44'),
    PodGroup: since('1.37', '1.40', '1.43'),
    PriorityClass: since('1.11', '1.14', '1.22', 'scheduling.k8s.io/v1 PriorityClass'),
    Workload: since('1.37', '1.40', '1.43'),
  },
  'storage.k8s.io/v1': {
    CSIDriver: since('1.18'),
    CSINode: since('1.17'),
    CSIStorageCapacity: since('1.24'),
    StorageClass: since('1.6'),
    VolumeAttachment: since('1.13'),
    VolumeAttributesClass: since('1.34'),
  },
  'storage.k8s.io/v1beta1': {
    CSIDriver: since('1.14', '1.19', '1.22', 'storage.k8s.io/v1 CSIDriver'),
    CSINode: since('1.14', '1.17', '1.22', 'storage.k8s.io/v1 CSINode'),
    CSIStorageCapacity: since('1.21', '1.24', '1.27', 'storage.k8s.io/v1 CSIStorageCapacity'),
    StorageClass: since('1.4', '1.19', '1.22', 'storage.k8s.io/v1 StorageClass'),
    VolumeAttachment: since('1.10', '1.19', '1.22', 'storage.k8s.io/v1 VolumeAttachment'),
    VolumeAttributesClass: since('1.31', '1.34', '1.37', 'storage.k8s.io/v1 VolumeAttributesClass'),
  },
  'storage.k8s.io/v1alpha1': {
    CSIStorageCapacity: since('1.19', '1.21', '1.24', 'storage.k8s.io/v1beta1 CSIStorageCapacity'),
    VolumeAttachment: since('1.9', '1.21', '1.24', 'storage.k8s.io/v1 VolumeAttachment'),
    VolumeAttributesClass: formerly(
      '1.34',
      { deprecated: '1.32', removed: '1.35' },
      since('1.29', '1.32', '1.35', 'storage.k8s.io/v1 VolumeAttributesClass'),
    ),
  },
  'storagemigration.k8s.io/v1': {
    StorageVersionMigration: since('1.37'),
  },
  'storagemigration.k8s.io/v1beta1': {
    StorageVersionMigration: formerly(
      '1.37',
      { deprecated: '1.38', removed: '1.41' },
      since('1.35', '1.37', '1.40', 'storagemigration.k8s.io/v1 StorageVersionMigration'),
    ),
  },
  'storagemigration.k8s.io/v1alpha1': {
    StorageVersionMigration: withdrawn('1.35', since('1.30', '1.33', '1.36')),
  },
}

/** Versions that kube-apiserver still accepts by name, although it serves no kind in them. */
export const EMPTY_VERSIONS: readonly string[] = [
  'node.k8s.io/v1alpha1',
  'rbac.authorization.k8s.io/v1alpha1',
  'scheduling.k8s.io/v1alpha1',
]
