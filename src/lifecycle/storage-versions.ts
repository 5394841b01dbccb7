import { compareVersionNames } from '../meta/gvk.ts'
import { LIFECYCLES } from './kinds.ts'
import { existsIn, lifecycleOf } from './lifecycle.ts'
import { isSince, minorOf, previousRelease, type Release } from './release.ts'

/**
 * Storage version of kinds for which it depends on the release: each version with its first minor release. A version is
 * stored only one release after it can be read, so that servers of both releases can run side by side (deprecation
 * policy, rule 4b). https://kubernetes.io/docs/reference/using-api/deprecation-policy/
 */
const STORED: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/mutatingadmissionpolicies': '32 v1alpha1, 35 v1beta1, 37 v1',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': '32 v1alpha1, 35 v1beta1, 37 v1',
  'admissionregistration.k8s.io/validatingadmissionpolicies': '26 v1alpha1, 29 v1beta1, 31 v1',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': '26 v1alpha1, 29 v1beta1, 31 v1',
  'autoscaling/horizontalpodautoscalers': '24 v1, 27 v2',
  'certificates.k8s.io/clustertrustbundles': '27 v1alpha1, 33 v1beta1, 38 v1',
  'certificates.k8s.io/podcertificaterequests': '34 v1alpha1, 35 v1beta1',
  'coordination.k8s.io/leasecandidates': '31 v1alpha1, 32 v1alpha2, 33 v1beta1',
  'discovery.k8s.io/endpointslices': '24 v1beta1, 31 v1',
  'flowcontrol.apiserver.k8s.io/flowschemas': '24 v1beta1, 26 v1beta2, 27 v1beta3, 30 v1',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': '24 v1beta1, 26 v1beta2, 27 v1beta3, 30 v1',
  'networking.k8s.io/ipaddresses': '27 v1alpha1, 31 v1beta1, 34 v1',
  'networking.k8s.io/servicecidrs': '29 v1alpha1, 31 v1beta1, 34 v1',
  'policy/poddisruptionbudgets': '24 v1beta1, 27 v1',
  'resource.k8s.io/deviceclasses': '31 v1alpha3, 32 v1beta1, 34 v1beta2, 35 v1',
  'resource.k8s.io/devicetaintrules': '33 v1alpha3, 37 v1beta2, 38 v1',
  'resource.k8s.io/podschedulingcontexts': '27 v1alpha2, 31 v1alpha3',
  'resource.k8s.io/resourceclaims': '26 v1alpha1, 27 v1alpha2, 31 v1alpha3, 32 v1beta1, 34 v1beta2, 35 v1',
  'resource.k8s.io/resourceclaimtemplates': '26 v1alpha1, 27 v1alpha2, 31 v1alpha3, 32 v1beta1, 34 v1beta2, 35 v1',
  'resource.k8s.io/resourceclasses': '26 v1alpha1, 27 v1alpha2',
  'resource.k8s.io/resourceslices': '30 v1alpha2, 31 v1alpha3, 32 v1beta1, 34 v1beta2, 35 v1',
  'scheduling.k8s.io/compositepodgroups': '37 v1alpha3, 38 v1beta1',
  'scheduling.k8s.io/podgroups': '36 v1alpha2, 37 v1beta1',
  'scheduling.k8s.io/workloads': '35 v1alpha1, 36 v1alpha2, 37 v1beta1',
  'storage.k8s.io/csistoragecapacities': '24 v1beta1, 25 v1',
  'storage.k8s.io/volumeattributesclasses': '29 v1alpha1, 31 v1beta1, 36 v1',
  'storagemigration.k8s.io/storageversionmigrations': '30 v1alpha1, 35 v1beta1, 38 v1',
}

/**
 * Kinds whose storage version does not follow the rule of 1.37, but was set by hand. Source:
 * pkg/kubeapiserver/default_storage_factory_builder.go in k8s.io/kubernetes.
 */
const SET_BY_HAND: ReadonlySet<string> = new Set([
  'certificates.k8s.io/clustertrustbundles',
  'certificates.k8s.io/podcertificaterequests',
  'coordination.k8s.io/leasecandidates',
  'resource.k8s.io/devicetaintrules',
  'scheduling.k8s.io/podgroups',
  'scheduling.k8s.io/workloads',
  'storagemigration.k8s.io/storageversionmigrations',
])

/** A kind with its resource. */
interface StoredKind {
  readonly group: string
  readonly resource: string
  readonly kind: string
}

/**
 * Returns undefined for kinds with the same storage version in every release. Since 1.37 the version depends on the
 * oldest release that has to read the store, `compatibility`: the newest version without alpha that this release knows.
 */
export function storageVersionIn(
  release: Release,
  { group, resource, kind }: StoredKind,
  compatibility = previousRelease(release),
): string | undefined {
  const key = `${group}/${resource}`
  const history = STORED[key]?.split(', ').map(entry => entry.split(' '))
  const stored = history?.findLast(([since]) => Number(since) <= minorOf(release))?.[1]
  if (stored === undefined || !isSince(release, '1.37') || SET_BY_HAND.has(key)) return stored
  return readableIn(compatibility, release, group, kind) ?? stored
}

/** Returns the preferred version of a kind that is not alpha and that an older release knows. */
function readableIn(older: Release, release: Release, group: string, kind: string): string | undefined {
  const known = Object.keys(LIFECYCLES)
    .filter(apiVersion => apiVersion.startsWith(`${group}/`) && !apiVersion.includes('alpha'))
    .filter(
      apiVersion => existsIn(release, apiVersion, kind) && existsIn(older, apiVersion, kind) && lifecycleOf(apiVersion, kind) !== undefined,
    )
    .map(apiVersion => apiVersion.slice(group.length + 1))
  return known.sort(compareVersionNames)[0]
}
