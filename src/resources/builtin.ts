import type { TokenIssuer } from '../auth/authn/service-account/issuer.ts'
import type { TokenAuthenticator } from '../auth/authn/token.ts'
import type { RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import { typesOf } from '../catalog/types.ts'
import { type ReleaseParts, withFeatures } from '../catalog/with-features.ts'
import type { Features } from '../lifecycle/gates.ts'
import { DEFAULT_RELEASE, isSince } from '../lifecycle/release.ts'
import { storageVersionIn } from '../lifecycle/storage-versions.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import { createMutatingAdmissionPolicyResource } from './admissionregistration/mutating-admission-policy/definition.ts'
import { createMutatingAdmissionPolicyBindingResource } from './admissionregistration/mutating-admission-policy-binding/definition.ts'
import { mutatingWebhookConfigurationResource } from './admissionregistration/mutating-webhook-configuration/definition.ts'
import { createValidatingAdmissionPolicyResource } from './admissionregistration/validating-admission-policy/definition.ts'
import { createValidatingAdmissionPolicyBindingResource } from './admissionregistration/validating-admission-policy-binding/definition.ts'
import { validatingWebhookConfigurationResource } from './admissionregistration/validating-webhook-configuration/definition.ts'
import { customResourceDefinitionResource } from './apiextensions/custom-resource-definition/definition.ts'
import { apiServiceResource } from './apiregistration/api-service/definition.ts'
import { storageVersionResource } from './apiserverinternal/storage-version/definition.ts'
import { controllerRevisionResource } from './apps/controller-revision/definition.ts'
import { daemonSetResource } from './apps/daemon-set/definition.ts'
import { deploymentResource } from './apps/deployment/definition.ts'
import { replicaSetResource } from './apps/replica-set/definition.ts'
import { statefulSetResource } from './apps/stateful-set/definition.ts'
import { selfSubjectReviewResource } from './authentication/self-subject-review.ts'
import { createTokenReviewResource } from './authentication/token-review.ts'
import {
  createLocalSubjectAccessReviewResource,
  createSelfSubjectAccessReviewResource,
  createSubjectAccessReviewResource,
} from './authorization/access-reviews.ts'
import { createSelfSubjectRulesReviewResource } from './authorization/rules-review.ts'
import { horizontalPodAutoscalerResource } from './autoscaling/horizontal-pod-autoscaler/definition.ts'
import { cronJobResource } from './batch/cron-job/definition.ts'
import { jobResource } from './batch/job/definition.ts'
import { certificateSigningRequestResource } from './certificates/certificate-signing-request/definition.ts'
import { clusterTrustBundleResource } from './certificates/cluster-trust-bundle/definition.ts'
import { createPodCertificateRequestResource } from './certificates/pod-certificate-request/definition.ts'
import { leaseResource } from './coordination/lease/definition.ts'
import { leaseCandidateResource } from './coordination/lease-candidate/definition.ts'
import { componentStatuses } from './core/component-status/definition.ts'
import { configMapResource } from './core/config-map/definition.ts'
import { endpointsResource } from './core/endpoints/definition.ts'
import { eventResourceWithTtl } from './core/event/definition.ts'
import { limitRangeResource } from './core/limit-range/definition.ts'
import { namespaceResource } from './core/namespace/definition.ts'
import { nodeResource } from './core/node/definition.ts'
import { persistentVolumeResource } from './core/persistent-volume/definition.ts'
import { persistentVolumeClaimResource } from './core/persistent-volume-claim/definition.ts'
import { bindingResource } from './core/pod/binding.ts'
import { podResource } from './core/pod/definition.ts'
import { podTemplateResource } from './core/pod-template/definition.ts'
import { replicationControllerResource } from './core/replication-controller/definition.ts'
import { resourceQuotaResource } from './core/resource-quota/definition.ts'
import { secretResource } from './core/secret/definition.ts'
import { rangeAllocationResource } from './core/service/allocation/node-ports.ts'
import type { ServiceOptions } from './core/service/definition.ts'
import { createServiceResource } from './core/service/definition.ts'
import { createServiceAccountResource } from './core/service-account/definition.ts'
import { endpointSliceResource } from './discovery/endpoint-slice/definition.ts'
import { flowSchemaResource } from './flowcontrol/flow-schema/definition.ts'
import { priorityLevelConfigurationResource } from './flowcontrol/priority-level-configuration/definition.ts'
import { evictionResource } from './lifecycle/eviction/definition.ts'
import { evictionRequestResource } from './lifecycle/eviction-request/definition.ts'
import { clusterCIDRResource } from './networking/cluster-cidr/definition.ts'
import { ingressResource } from './networking/ingress/definition.ts'
import { ingressClassResource } from './networking/ingress-class/definition.ts'
import { ipAddressResource } from './networking/ip-address/definition.ts'
import { networkPolicyResource } from './networking/network-policy/definition.ts'
import { serviceCIDRResource } from './networking/service-cidr/definition.ts'
import { runtimeClassResource } from './node/runtime-class/definition.ts'
import { podDisruptionBudgetResource } from './policy/pod-disruption-budget/definition.ts'
import { podSecurityPolicyResource } from './policy/pod-security-policy/definition.ts'
import { createClusterRoleResource } from './rbac/cluster-role/definition.ts'
import { createClusterRoleBindingResource } from './rbac/cluster-role-binding/definition.ts'
import { createRoleResource } from './rbac/role/definition.ts'
import { createRoleBindingResource } from './rbac/role-binding/definition.ts'
import { deviceClassResource } from './resource/device-class/definition.ts'
import { deviceTaintRuleResource } from './resource/device-taint-rule/definition.ts'
import { podSchedulingContextResource } from './resource/pod-scheduling-context/definition.ts'
import { createResourceClaimResource } from './resource/resource-claim/definition.ts'
import { resourceClaimTemplateResource } from './resource/resource-claim-template/definition.ts'
import { resourcePoolStatusRequestResource } from './resource/resource-pool-status-request/definition.ts'
import { resourceSliceResource } from './resource/resource-slice/definition.ts'
import { CLASS_BASED_KINDS } from './resource/v1alpha2/kinds.ts'
import { podGroupResource } from './scheduling/pod-group/definition.ts'
import { priorityClassResource } from './scheduling/priority-class/definition.ts'
import { POD_GROUP_KINDS } from './scheduling/v1beta1/kinds.ts'
import { workloadResource } from './scheduling/workload/definition.ts'
import { csiDriverResource } from './storage/csi-driver/definition.ts'
import { csiNodeResource } from './storage/csi-node/definition.ts'
import { csiStorageCapacityResource } from './storage/csi-storage-capacity/definition.ts'
import { storageClassResource } from './storage/storage-class/definition.ts'
import { volumeAttachmentResource } from './storage/volume-attachment/definition.ts'
import { volumeAttributesClassResource } from './storage/volume-attributes-class/definition.ts'
import { storageVersionMigrationResource } from './storagemigration/storage-version-migration/definition.ts'

/**
 * Services and settings that definitions of built-in kinds depend on. Definitions are made once, when the server
 * starts.
 */
export interface BuiltinOptions extends ServiceOptions {
  readonly features: Features
  /** Optional. Addresses of the etcd members, in gRPC's form. Unset if the store is in this process. */
  readonly etcdServers?: readonly string[]
  readonly eventTtlSeconds: number
  /** Optional. If unset, reviews recognize no token and allow nothing. */
  readonly auth?: AuthServices
}

/** Dependencies of reviews and of kinds that check authorization. */
export interface AuthServices {
  readonly authorizer: Authorizer
  readonly tokens: TokenAuthenticator
  /** Audiences of this server in tokens. */
  readonly audiences: readonly string[]
  readonly issuer?: TokenIssuer
  /** Optional. Rules that users have through roles. Unset if no authorization mode is RBAC. */
  readonly rules?: RuleIndex
}

const NOBODY: AuthServices = {
  authorizer: { authorize: async () => ({ decision: 'no opinion', reason: '' }) },
  tokens: () => undefined,
  audiences: [],
}

const reviews = ({ authorizer, tokens, audiences }: AuthServices, features: Features): ResourceDefinition[] => [
  selfSubjectReviewResource,
  createTokenReviewResource(tokens, audiences),
  createLocalSubjectAccessReviewResource(authorizer, features),
  createSelfSubjectAccessReviewResource(authorizer, features),
  createSelfSubjectRulesReviewResource(authorizer),
  createSubjectAccessReviewResource(authorizer, features),
]

/** Returns the definitions of all built-in kinds, with groups in discovery order. */
export const builtinResources = (options: BuiltinOptions): ResourceDefinition[] =>
  definitionsOf(options).map(definition => withFeatures(definition, releaseParts(options.features)))

const releaseParts = (features: Features): ReleaseParts => ({
  features,
  storedIn: kind => storageVersionIn(features.release, kind, features.compatibility),
  ...(features.release !== DEFAULT_RELEASE && {
    schemaOf: schema => (schema.id === undefined ? schema : typesOf(features.release).type(schema.id)),
  }),
})

const coreKinds = ({ etcdServers, eventTtlSeconds, auth, features, ...service }: BuiltinOptions): ResourceDefinition[] => [
  bindingResource,
  componentStatuses(features.release, etcdServers),
  configMapResource,
  endpointsResource,
  eventResourceWithTtl(eventTtlSeconds),
  limitRangeResource,
  namespaceResource,
  nodeResource,
  persistentVolumeClaimResource,
  persistentVolumeResource,
  podResource,
  podTemplateResource,
  replicationControllerResource,
  resourceQuotaResource,
  secretResource,
  createServiceAccountResource(auth?.issuer, features),
  createServiceResource({ ...service, relaxedNames: features.enabled('RelaxedServiceNameValidation') }),
  rangeAllocationResource,
]

const APPS: readonly ResourceDefinition[] = [
  controllerRevisionResource,
  daemonSetResource,
  deploymentResource,
  replicaSetResource,
  statefulSetResource,
]

const AUTOSCALING_AND_BATCH: readonly ResourceDefinition[] = [horizontalPodAutoscalerResource, cronJobResource, jobResource]

const certificates = ({ authorizer }: AuthServices): ResourceDefinition[] => [
  certificateSigningRequestResource,
  clusterTrustBundleResource,
  createPodCertificateRequestResource(authorizer),
]

const NETWORKING: readonly ResourceDefinition[] = [
  clusterCIDRResource,
  ingressClassResource,
  ingressResource,
  ipAddressResource,
  networkPolicyResource,
  serviceCIDRResource,
]

/** Kinds that extend the API, and kinds whose writes are authorized by the authorizer. */
const extensionKinds = (auth: AuthServices | undefined): ResourceDefinition[] => [
  apiServiceResource,
  createMutatingAdmissionPolicyResource(auth),
  createMutatingAdmissionPolicyBindingResource(auth),
  mutatingWebhookConfigurationResource,
  createValidatingAdmissionPolicyResource(auth),
  createValidatingAdmissionPolicyBindingResource(auth),
  validatingWebhookConfigurationResource,
  customResourceDefinitionResource,
  createClusterRoleBindingResource(auth),
  createClusterRoleResource(auth),
  createRoleBindingResource(auth),
  createRoleResource(auth),
]

const COORDINATION: readonly ResourceDefinition[] = [
  leaseResource,
  leaseCandidateResource,
  flowSchemaResource,
  priorityLevelConfigurationResource,
  storageVersionResource,
  storageVersionMigrationResource,
]

/** Since 1.31 claims request devices; before, they referred to resource classes. */
const resourceKinds = ({ authorizer }: AuthServices, { release }: Features): readonly ResourceDefinition[] =>
  isSince(release, '1.31') ? deviceKinds(authorizer) : CLASS_BASED_KINDS

const deviceKinds = (authorizer: Authorizer): ResourceDefinition[] => [
  deviceClassResource,
  deviceTaintRuleResource,
  podSchedulingContextResource,
  createResourceClaimResource(authorizer),
  resourceClaimTemplateResource,
  resourcePoolStatusRequestResource,
  resourceSliceResource,
]

const STORAGE: readonly ResourceDefinition[] = [
  csiDriverResource,
  csiNodeResource,
  csiStorageCapacityResource,
  storageClassResource,
  volumeAttachmentResource,
  volumeAttributesClassResource,
]

/** Kinds of scheduling.k8s.io in alphabetical order. Since 1.37 groups of pods have another shape. */
const schedulingKinds = ({ release }: Features): readonly ResourceDefinition[] => {
  const groups = isSince(release, '1.37') ? POD_GROUP_KINDS : [podGroupResource, workloadResource]
  return [...groups, priorityClassResource]
}

const OTHERS: readonly ResourceDefinition[] = [runtimeClassResource, endpointSliceResource]

const definitionsOf = (options: BuiltinOptions): ResourceDefinition[] => [
  ...coreKinds(options),
  ...APPS,
  ...reviews(options.auth ?? NOBODY, options.features),
  ...AUTOSCALING_AND_BATCH,
  ...certificates(options.auth ?? NOBODY),
  ...NETWORKING,
  ...extensionKinds(options.auth),
  ...COORDINATION,
  ...resourceKinds(options.auth ?? NOBODY, options.features),
  podDisruptionBudgetResource,
  podSecurityPolicyResource,
  ...STORAGE,
  ...schedulingKinds(options.features),
  ...OTHERS,
  evictionResource,
  evictionRequestResource,
]
