import { isSince, type Release } from '../lifecycle/release.ts'

/**
 * The admission plugins of kube-apiserver, in the order in which it asks them: those of 1.33 in every release, and those that came later.
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

/** A plugin that is implemented: all but AlwaysAdmit, which does nothing. */
export type BuiltPluginName = Exclude<PluginName, 'AlwaysAdmit'>

const names: ReadonlySet<string> = new Set(PLUGIN_NAMES)

/** Whether flags and files may name it: some release has it. */
export const isPluginName = (name: string): name is PluginName => names.has(name)
/** Whether the release has it. */
export const isPluginOf = (release: Release, name: PluginName): boolean => isSince(release, SINCE[name] ?? release)
export const isBuiltPlugin = (name: PluginName): name is BuiltPluginName => name !== 'AlwaysAdmit'
export const isOnByDefault = (name: PluginName): boolean => !OFF_BY_DEFAULT.has(name)

/** The plugins for which `isOn` holds, in the order in which they are asked. */
export const pluginsInOrder = (isOn: (name: PluginName) => boolean = isOnByDefault): readonly PluginName[] => PLUGIN_NAMES.filter(isOn)
