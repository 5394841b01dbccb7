import { gatesOf } from '../../lifecycle/feature-gates.ts'
import { compareReleases, isSince, RELEASES, type Release } from '../../lifecycle/release.ts'

/**
 * Gates that were removed before the oldest release that can be emulated, by the release that removed them. Sources:
 * kube_features.go at a tag of each release from 1.16 to 1.24.
 */
const OLD_GATES: Readonly<Partial<Record<Release, string>>> = {
  '1.17': 'EnableAggregatedDiscoveryTimeout GCERegionalPersistentDisk MountContainers PersistentLocalVolumes RequestManagement',
  '1.18': 'PodPriority ResourceQuotaScopeSelectors ScheduleDaemonSetPods TaintNodesByCondition',
  '1.19': 'DynamicAuditing PodShareProcessNamespace ResourceLimitsPriorityFunction VolumeSubpathEnvExpansion',
  '1.20': 'DefaultIngressClass ServiceLoadBalancerFinalizer SupportIPVSProxyMode TaintBasedEvictions',
  '1.21':
    'AttachVolumeLimit BlockVolume CSIBlockVolume CSIDriverRegistry CSIMigrationAWSComplete CSIMigrationAzureDiskComplete CSIMigrationAzureFileComplete CSIMigrationGCEComplete ' +
    'CSIMigrationOpenStackComplete CSINodeInfo EvenPodsSpread HyperVContainer RotateKubeletClientCertificate TokenRequest TokenRequestProjection VolumePVCDataSource WindowsGMSA ' +
    'WindowsRunAsUserName',
  '1.22':
    'BalanceAttachedNodeVolumes CRIContainerLogRotation CSIMigrationvSphereComplete ExternalPolicyForExternalIP LegacyNodeRoleBehavior NodeDisruptionExclusion RootCAConfigMap ' +
    'RunAsGroup SCTPSupport ServiceAppProtocol ServiceNodeExclusion ServiceTopology VolumeSnapshotDataSource',
  '1.23':
    'AllowInsecureBackendProxy BoundServiceAccountTokenVolume CronJobControllerV2 NodeLease ServiceAccountIssuerDiscovery StartupProbe SupportNodePidsLimit SupportPodPidsLimit Sysctls',
  '1.24':
    'HugePageStorageMediumSize ImmutableEphemeralVolumes NamespaceDefaultLabelName RuntimeClass SetHostnameAsFQDN StreamingProxyRedirects ValidateProxyRedirects WarningHeaders',
}

/** Returns the release that removed a gate which `to` does not have, or undefined if no earlier release had it. */
export function goneGateSince(name: string, to: Release): Release | undefined {
  for (const [since, names] of Object.entries(OLD_GATES) as [Release, string][])
    if (names.split(' ').includes(name)) return isSince(to, since) ? since : undefined
  const before = RELEASES.filter(release => compareReleases(release, to) < 0)
  const last = before.findLast(release => Object.hasOwn(gatesOf(release), name))
  return last && RELEASES[RELEASES.indexOf(last) + 1]
}
