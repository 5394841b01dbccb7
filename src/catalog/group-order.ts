import { isSince, type Release } from '../lifecycle/release.ts'
import { compareVersionNames } from '../meta/gvk.ts'
import type { Version } from './definition.ts'

/** Order of built-in groups in kube-apiserver's discovery. */
const GROUPS = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'resource.k8s.io',
  'storagemigration.k8s.io',
]

/** Returns the rank of a group in a release. Other groups follow the built-in ones. */
export function groupRank(group: string, release?: Release): number {
  // Since it is GA, it precedes the groups for internal use by servers.
  if (group === 'resource.k8s.io' && release !== undefined && isSince(release, '1.34')) return GROUPS.indexOf('discovery.k8s.io') + 0.5
  const rank = GROUPS.indexOf(group)
  return rank < 0 ? GROUPS.length : rank
}

/** Versions whose order differs from that of their names. */
const VERSIONS: Readonly<Record<string, readonly string[]>> = { autoscaling: ['v2', 'v1', 'v2beta1', 'v2beta2'] }

/** Compares two versions of a group; negative if `a` is preferred. */
export function compareVersions({ group, name }: Pick<Version, 'group' | 'name'>, { name: other }: Pick<Version, 'name'>): number {
  const order = VERSIONS[group]
  return order ? order.indexOf(name) - order.indexOf(other) : compareVersionNames(name, other)
}
