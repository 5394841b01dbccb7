/**
 * The admission plugins of kube-apiserver 1.33, in the order in which it asks them.
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
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
  'AlwaysDeny',
] as const

/** A plugin of kube-apiserver. */
export type PluginName = (typeof PLUGIN_NAMES)[number]

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

/** Those that are here. Of NodeRestriction there is a stand-in that allows less. */
const BUILT = [
  'NamespaceLifecycle',
  'LimitRanger',
  'ServiceAccount',
  'NodeRestriction',
  'TaintNodesByCondition',
  'Priority',
  'DefaultTolerationSeconds',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'ClusterTrustBundleAttest',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'PodTopologyLabels',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
] as const satisfies readonly PluginName[]

/** A plugin that this server has. */
export type BuiltPluginName = (typeof BUILT)[number]

/** AlwaysAdmit admits everything, and so needs nothing. MutatingAdmissionPolicy does nothing without a gate that is off. */
const WITHOUT_EFFECT: ReadonlySet<PluginName> = new Set<PluginName>(['AlwaysAdmit', 'MutatingAdmissionPolicy'])

const built: ReadonlySet<PluginName> = new Set<PluginName>(BUILT)

const names: ReadonlySet<string> = new Set(PLUGIN_NAMES)

/** Whether `--enable-admission-plugins` and `--disable-admission-plugins` may name it. */
export const isPluginName = (name: string): name is PluginName => names.has(name)
/** Whether there is such a plugin here. */
export const isBuiltPlugin = (name: PluginName): name is BuiltPluginName => built.has(name)
/** As in kube-apiserver of the release, built here or not. */
export const isOnByDefault = (name: PluginName): boolean => !OFF_BY_DEFAULT.has(name)

/** Whether a server that does not have the plugin does something else than one that has it. */
export const isMissedPlugin = (name: PluginName): boolean => !built.has(name) && !WITHOUT_EFFECT.has(name)

/** The plugins for which `isOn` holds, in the order in which they are asked. */
export const pluginsInOrder = (isOn: (name: PluginName) => boolean = isOnByDefault): readonly PluginName[] => PLUGIN_NAMES.filter(isOn)
