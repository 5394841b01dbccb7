import { minorOf, type Release } from './release.ts'

/**
 * Storage version of kinds for which it depends on the release: each version with its first minor release. A version is stored only one release after it can be
 * read, so that servers of both releases can run side by side (deprecation policy, rule 4b). https://kubernetes.io/docs/reference/using-api/deprecation-policy/
 */
const STORED: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/mutatingadmissionpolicies': '32 v1alpha1, 35 v1beta1, 37 v1',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': '32 v1alpha1, 35 v1beta1, 37 v1',
  'admissionregistration.k8s.io/validatingadmissionpolicies': '26 v1alpha1, 29 v1beta1, 31 v1',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': '26 v1alpha1, 29 v1beta1, 31 v1',
  'autoscaling/horizontalpodautoscalers': '24 v1, 27 v2',
  'certificates.k8s.io/clustertrustbundles': '27 v1alpha1, 33 v1beta1',
  'certificates.k8s.io/podcertificaterequests': '34 v1alpha1, 35 v1beta1',
  'coordination.k8s.io/leasecandidates': '31 v1alpha1, 32 v1alpha2, 33 v1beta1',
  'discovery.k8s.io/endpointslices': '24 v1beta1, 31 v1',
  'flowcontrol.apiserver.k8s.io/flowschemas': '24 v1beta1, 26 v1beta2, 27 v1beta3, 30 v1',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': '24 v1beta1, 26 v1beta2, 27 v1beta3, 30 v1',
  'networking.k8s.io/ipaddresses': '27 v1alpha1, 31 v1beta1, 34 v1',
  'networking.k8s.io/servicecidrs': '29 v1alpha1, 31 v1beta1, 34 v1',
  'policy/poddisruptionbudgets': '24 v1beta1, 27 v1',
  'resource.k8s.io/deviceclasses': '31 v1alpha3, 32 v1beta1, 34 v1beta2, 35 v1',
  'resource.k8s.io/devicetaintrules': '33 v1alpha3, 37 v1beta2',
  'resource.k8s.io/podschedulingcontexts': '27 v1alpha2, 31 v1alpha3',
  'resource.k8s.io/resourceclaims': '26 v1alpha1, 27 v1alpha2, 31 v1alpha3, 32 v1beta1, 34 v1beta2, 35 v1',
  'resource.k8s.io/resourceclaimtemplates': '26 v1alpha1, 27 v1alpha2, 31 v1alpha3, 32 v1beta1, 34 v1beta2, 35 v1',
  'resource.k8s.io/resourceclasses': '26 v1alpha1, 27 v1alpha2',
  'resource.k8s.io/resourceslices': '30 v1alpha2, 31 v1alpha3, 32 v1beta1, 34 v1beta2, 35 v1',
  'scheduling.k8s.io/podgroups': '36 v1alpha2, 37 v1beta1',
  'scheduling.k8s.io/workloads': '35 v1alpha1, 36 v1alpha2, 37 v1beta1',
  'storage.k8s.io/csistoragecapacities': '24 v1beta1, 25 v1',
  'storage.k8s.io/volumeattributesclasses': '29 v1alpha1, 31 v1beta1, 36 v1',
  'storagemigration.k8s.io/storageversionmigrations': '30 v1alpha1, 35 v1beta1',
}

/** Returns undefined for kinds with the same storage version in every release. */
export function storageVersionIn(release: Release, group: string, resource: string): string | undefined {
  const history = STORED[`${group}/${resource}`]?.split(', ').map(entry => entry.split(' '))
  return history?.findLast(([since]) => Number(since) <= minorOf(release))?.[1]
}
