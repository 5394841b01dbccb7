import { isSince, type Release } from '../lifecycle/release.ts'

/**
 * Admission plugins of kube-apiserver, in the order in which it runs them. Plugins without an entry in SINCE exist in
 * every supported release. https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
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

/** Name of a kube-apiserver admission plugin. */
export type PluginName = (typeof PLUGIN_NAMES)[number]

/** Release that introduced a plugin, for plugins newer than 1.33. */
const SINCE: Partial<Readonly<Record<PluginName, Release>>> = { NodeDeclaredFeatureValidator: '1.35', PodResizeValidator: '1.36' }

/** Plugins that are off by default. */
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

/** Name of an implemented plugin: all but AlwaysAdmit, which does nothing. */
export type BuiltPluginName = Exclude<PluginName, 'AlwaysAdmit'>

const NAMES: ReadonlySet<string> = new Set(PLUGIN_NAMES)

/** Whether the name is that of a plugin in any supported release. Flags and configuration files may use it. */
export const isPluginName = (name: string): name is PluginName => NAMES.has(name)
/** Whether the plugin exists in the release. */
export const isPluginOf = (release: Release, name: PluginName): boolean => isSince(release, SINCE[name] ?? release)
/** Whether the plugin does anything. The others may be named in flags. */
export const isBuiltPlugin = (name: PluginName): name is BuiltPluginName => name !== 'AlwaysAdmit'
/** Whether the plugin runs unless a flag disables it. The same in all releases that have it. */
export const isOnByDefault = (name: PluginName): boolean => !OFF_BY_DEFAULT.has(name)

/** Names of the plugins for which `isOn` returns true, in the order in which they run. */
export const pluginsInOrder = (isOn: (name: PluginName) => boolean = isOnByDefault): readonly PluginName[] => PLUGIN_NAMES.filter(isOn)
