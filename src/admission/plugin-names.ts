import { isSince, type Release } from '../lifecycle/release.ts'

/**
 * The admission plugins of kube-apiserver, in the order in which it asks them: those of 1.33 in every release, and of those that came later the built ones.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 */
const PLUGIN_NAMES = [
  'AlwaysAdmit',
  'NamespaceAutoProvision',
  'NamespaceLifecycle',
  'NamespaceExists',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'ServiceAccount',
  'NodeRestriction',
  'TaintNodesByCondition',
  'AlwaysPullImages',
  'ImagePolicyWebhook',
  'PodSecurity',
  'PodNodeSelector',
  'Priority',
  'DefaultTolerationSeconds',
  'PodTolerationRestriction',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'ClusterTrustBundleAttest',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'DenyServiceExternalIPs',
  'PodTopologyLabels',
  'NodeDeclaredFeatureValidator',
  'PodResizeValidator',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
  'AlwaysDeny',
] as const

/** A plugin of kube-apiserver. */
export type PluginName = (typeof PLUGIN_NAMES)[number]

/** The releases that brought plugins after 1.33. */
const SINCE: Partial<Readonly<Record<PluginName, Release>>> = { NodeDeclaredFeatureValidator: '1.35', PodResizeValidator: '1.36' }

/** Those that run only where they are asked for. */
const OFF_BY_DEFAULT: ReadonlySet<PluginName> = new Set<PluginName>([
  'AlwaysAdmit',
  'NamespaceAutoProvision',
  'NamespaceExists',
  'LimitPodHardAntiAffinityTopology',
  'NodeRestriction',
  'AlwaysPullImages',
  'ImagePolicyWebhook',
  'PodNodeSelector',
  'PodTolerationRestriction',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'OwnerReferencesPermissionEnforcement',
  'DenyServiceExternalIPs',
  'AlwaysDeny',
])

/** Those that are here. */
const BUILT = [
  'NamespaceAutoProvision',
  'NamespaceLifecycle',
  'NamespaceExists',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'ServiceAccount',
  'NodeRestriction',
  'TaintNodesByCondition',
  'AlwaysPullImages',
  'ImagePolicyWebhook',
  'PodSecurity',
  'PodNodeSelector',
  'Priority',
  'DefaultTolerationSeconds',
  'PodTolerationRestriction',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'ClusterTrustBundleAttest',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'DenyServiceExternalIPs',
  'PodTopologyLabels',
  'NodeDeclaredFeatureValidator',
  'PodResizeValidator',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
  'AlwaysDeny',
] as const satisfies readonly PluginName[]

/** A plugin that this server has. */
export type BuiltPluginName = (typeof BUILT)[number]

/** AlwaysAdmit admits everything, and so needs nothing. */
const WITHOUT_EFFECT: ReadonlySet<PluginName> = new Set<PluginName>(['AlwaysAdmit'])

const built: ReadonlySet<PluginName> = new Set<PluginName>(BUILT)

const names: ReadonlySet<string> = new Set(PLUGIN_NAMES)

/** Whether flags and files may name it: some release has it. */
export const isPluginName = (name: string): name is PluginName => names.has(name)
/** Whether the release has it. */
export const isPluginOf = (release: Release, name: PluginName): boolean => isSince(release, SINCE[name] ?? release)
/** Whether there is such a plugin here. */
export const isBuiltPlugin = (name: PluginName): name is BuiltPluginName => built.has(name)
/** As in kube-apiserver of the release, built here or not. */
export const isOnByDefault = (name: PluginName): boolean => !OFF_BY_DEFAULT.has(name)

/** Whether a server that does not have the plugin does something else than one that has it. */
export const isMissedPlugin = (name: PluginName): boolean => !built.has(name) && !WITHOUT_EFFECT.has(name)

/** The plugins for which `isOn` holds, in the order in which they are asked. */
export const pluginsInOrder = (isOn: (name: PluginName) => boolean = isOnByDefault): readonly PluginName[] => PLUGIN_NAMES.filter(isOn)
