import type { GateName } from './feature-gates.ts'
import { isSince, type Release } from './release.ts'

/** First release that checks dependencies of gates. */
const CHECKED_SINCE: Release = '1.35'

/**
 * Gates that each gate requires while it is on, sorted by name. A gate that the release does not have requires nothing
 * and is not required. Source: `defaultKubernetesFeatureGateDependencies` of 1.35 to 1.37.
 */
export const GATE_DEPENDENCIES: Partial<Record<GateName, readonly GateName[]>> = {
  AuthorizeNodeWithSelectors: ['AuthorizeWithSelectors'],
  ClusterTrustBundleProjection: ['ClusterTrustBundle'],
  CompositePodGroup: ['GenericWorkload', 'TopologyAwareWorkloadScheduling'],
  DRAAdminAccess: ['DynamicResourceAllocation'],
  DRAConsumableCapacity: ['DynamicResourceAllocation'],
  DRADerivedAttributes: ['DynamicResourceAllocation'],
  DRADeviceBindingConditions: ['DRAResourceClaimDeviceStatus', 'DynamicResourceAllocation'],
  DRADeviceTaintRules: ['DRADeviceTaints'],
  DRADeviceTaints: ['DynamicResourceAllocation'],
  DRAExtendedResource: ['DynamicResourceAllocation'],
  DRAFractionalCapacityRange: ['DRAConsumableCapacity'],
  DRAListTypeAttributes: ['DynamicResourceAllocation'],
  DRANodeAllocatableResources: ['DynamicResourceAllocation'],
  DRAOptionalNodeOperations: ['DynamicResourceAllocation', 'NodeDeclaredFeatures'],
  DRAPartitionableDevices: ['DynamicResourceAllocation'],
  DRAPartitionableDevicesType: ['DRAPartitionableDevices', 'DRAResourcePoolStatus', 'DynamicResourceAllocation'],
  DRAPrioritizedList: ['DynamicResourceAllocation'],
  DRAResourceClaimGranularStatusAuthorization: ['DRAResourceClaimDeviceStatus', 'DynamicResourceAllocation'],
  DRAResourcePoolStatus: ['DynamicResourceAllocation'],
  DRASchedulerFilterTimeout: ['DynamicResourceAllocation'],
  DRAWorkloadResourceClaims: ['DynamicResourceAllocation', 'GenericWorkload'],
  DeclarativeValidationBeta: ['DeclarativeValidation'],
  DeclarativeValidationTakeover: ['DeclarativeValidation'],
  DisableAllocatorDualWrite: ['MultiCIDRServiceAllocator'],
  EventedPLEG: ['PLEGOnDemandRelist'],
  ExtendWebSocketsToKubelet: ['NodeDeclaredFeatures'],
  GangScheduling: ['GenericWorkload'],
  GracefulNodeShutdownBasedOnPodPriority: ['GracefulNodeShutdown'],
  H2CContainerProbe: ['NodeDeclaredFeatures'],
  ImageVolumeWithDigest: ['ImageVolume'],
  InPlacePodLevelResourcesVerticalScaling: ['InPlacePodVerticalScaling', 'NodeDeclaredFeatures', 'PodLevelResources'],
  InPlacePodVerticalScalingAllocatedStatus: ['InPlacePodVerticalScaling'],
  InPlacePodVerticalScalingExclusiveCPUs: ['InPlacePodVerticalScaling'],
  InPlacePodVerticalScalingExclusiveMemory: ['InPlacePodVerticalScaling'],
  InPlacePodVerticalScalingInitContainers: ['InPlacePodVerticalScaling', 'NodeDeclaredFeatures'],
  InPlacePodVerticalScalingMemoryBackedVolumes: ['InPlacePodVerticalScaling', 'NodeDeclaredFeatures'],
  InPlacePodVerticalScalingSchedulerPreemption: ['InPlacePodVerticalScaling'],
  KubeletAllocatedPodsEndpoint: ['InPlacePodVerticalScaling'],
  MatchLabelKeysInPodTopologySpreadSelectorMerge: ['MatchLabelKeysInPodTopologySpread'],
  NodeControllerLeaseCircuitBreaker: ['AtomicFIFO'],
  PodCertificateRequest: ['AuthorizeNodeWithSelectors'],
  PodGroupPreemptionPolicy: ['GenericWorkload'],
  PodLevelResourceManagers: ['PodLevelResources'],
  PodLevelResourcesFixDefaulting: ['PodLevelResources'],
  PodLevelResourcesFixKubeletQOSClass: ['PodLevelResources'],
  PodLifecycleSleepActionAllowZero: ['PodLifecycleSleepAction'],
  ProcMountType: ['UserNamespacesSupport'],
  ResourceHealthStatus: ['DynamicResourceAllocation'],
  ResourceHealthStatusMessage: ['ResourceHealthStatus'],
  RestartAllContainersOnContainerExits: ['ContainerRestartRules', 'NodeDeclaredFeatures'],
  ServiceAccountTokenNodeBinding: ['ServiceAccountTokenNodeBindingValidation'],
  StaleControllerConsistencyDaemonSet: ['AtomicFIFO'],
  StaleControllerConsistencyHPA: ['AtomicFIFO'],
  StaleControllerConsistencyJob: ['AtomicFIFO'],
  StaleControllerConsistencyReplicaSet: ['AtomicFIFO'],
  StaleControllerConsistencyStatefulSet: ['AtomicFIFO'],
  StorageVersionAPI: ['APIServerIdentity'],
  StructuredAuthenticationConfigurationEgressSelector: ['StructuredAuthenticationConfiguration'],
  StructuredAuthenticationConfigurationJWKSMetrics: ['StructuredAuthenticationConfiguration'],
  TopologyAwareWorkloadScheduling: ['GenericWorkload'],
  UnknownVersionInteroperabilityProxy: ['APIServerIdentity'],
  UserNamespacesHostNetworkSupport: ['NodeDeclaredFeatures', 'UserNamespacesSupport'],
  WindowsCPUAndMemoryAffinity: ['MemoryManager'],
  WindowsGracefulNodeShutdown: ['GracefulNodeShutdown'],
  WorkloadAwarePreemption: ['GangScheduling'],
  WorkloadWithJob: ['GenericWorkload'],
}

/** Gates that require others only since a later release than the first that checks dependencies. */
const DEPENDENT_SINCE: Partial<Record<GateName, Release>> = { EventedPLEG: '1.37' }

/**
 * Returns a message for each gate that is on although a required gate is off, in kube-apiserver's words. `values` holds
 * all gates of the release.
 */
export function unmetDependencies(release: Release, values: ReadonlyMap<string, boolean>): string[] {
  if (!isSince(release, CHECKED_SINCE)) return []
  const later = new Set(Object.entries(DEPENDENT_SINCE).flatMap(([name, since]) => (isSince(release, since) ? [] : [name])))
  return Object.entries(GATE_DEPENDENCIES).flatMap(([name, needed]) => {
    if (later.has(name)) return []
    const off = values.get(name) ? needed.filter(each => values.get(each) === false) : []
    return off.length > 0 ? [`${name} is enabled, but depends on features that are disabled: [${off.join(' ')}]`] : []
  })
}
