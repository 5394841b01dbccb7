/** Priorities of a group version: the minimum for its group, and that within its group. Higher ones come first. */
export interface ApiPriority {
  readonly group: number
  readonly version: number
}

/** Priorities of built-in group versions in release 1.33, by apiVersion. */
export const BUILTIN_PRIORITIES: Readonly<Record<string, ApiPriority>> = {
  v1: { group: 18_000, version: 1 },
  'apps/v1': { group: 17_800, version: 15 },
  'events.k8s.io/v1': { group: 17_750, version: 15 },
  'events.k8s.io/v1beta1': { group: 17_750, version: 5 },
  'authentication.k8s.io/v1': { group: 17_700, version: 15 },
  'authentication.k8s.io/v1beta1': { group: 17_700, version: 9 },
  'authentication.k8s.io/v1alpha1': { group: 17_700, version: 1 },
  'authorization.k8s.io/v1': { group: 17_600, version: 15 },
  'autoscaling/v2': { group: 17_500, version: 30 },
  'autoscaling/v1': { group: 17_500, version: 15 },
  'autoscaling/v2beta1': { group: 17_500, version: 9 },
  'autoscaling/v2beta2': { group: 17_500, version: 1 },
  'batch/v1': { group: 17_400, version: 15 },
  'batch/v1beta1': { group: 17_400, version: 9 },
  'certificates.k8s.io/v1': { group: 17_300, version: 15 },
  'certificates.k8s.io/v1beta1': { group: 17_300, version: 9 },
  'certificates.k8s.io/v1alpha1': { group: 17_300, version: 1 },
  'networking.k8s.io/v1': { group: 17_200, version: 15 },
  'networking.k8s.io/v1beta1': { group: 17_200, version: 9 },
  'policy/v1': { group: 17_100, version: 15 },
  'policy/v1beta1': { group: 17_100, version: 9 },
  'rbac.authorization.k8s.io/v1': { group: 17_000, version: 15 },
  'storage.k8s.io/v1': { group: 16_800, version: 15 },
  'storage.k8s.io/v1beta1': { group: 16_800, version: 9 },
  'storage.k8s.io/v1alpha1': { group: 16_800, version: 1 },
  'apiextensions.k8s.io/v1': { group: 16_700, version: 15 },
  'admissionregistration.k8s.io/v1': { group: 16_700, version: 15 },
  'admissionregistration.k8s.io/v1beta1': { group: 16_700, version: 12 },
  'admissionregistration.k8s.io/v1alpha1': { group: 16_700, version: 9 },
  'scheduling.k8s.io/v1': { group: 16_600, version: 15 },
  'coordination.k8s.io/v1': { group: 16_500, version: 15 },
  'coordination.k8s.io/v1beta1': { group: 16_500, version: 13 },
  'coordination.k8s.io/v1alpha2': { group: 16_500, version: 12 },
  'node.k8s.io/v1': { group: 16_300, version: 15 },
  'node.k8s.io/v1beta1': { group: 16_300, version: 9 },
  'node.k8s.io/v1alpha1': { group: 16_300, version: 1 },
  'discovery.k8s.io/v1': { group: 16_200, version: 15 },
  'discovery.k8s.io/v1beta1': { group: 16_200, version: 12 },
  'resource.k8s.io/v1beta2': { group: 16_200, version: 15 },
  'resource.k8s.io/v1beta1': { group: 16_200, version: 9 },
  'resource.k8s.io/v1alpha3': { group: 16_200, version: 1 },
  'flowcontrol.apiserver.k8s.io/v1': { group: 16_100, version: 21 },
  'flowcontrol.apiserver.k8s.io/v1beta3': { group: 16_100, version: 18 },
  'flowcontrol.apiserver.k8s.io/v1beta2': { group: 16_100, version: 15 },
  'flowcontrol.apiserver.k8s.io/v1beta1': { group: 16_100, version: 12 },
  'flowcontrol.apiserver.k8s.io/v1alpha1': { group: 16_100, version: 9 },
  'internal.apiserver.k8s.io/v1alpha1': { group: 16_000, version: 9 },
  'storagemigration.k8s.io/v1alpha1': { group: 15_800, version: 9 },
}

/** Priority of group versions with custom resources. */
export const CUSTOM_PRIORITY: ApiPriority = { group: 1000, version: 100 }
