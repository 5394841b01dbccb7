import type { TypedObject } from '../../api/meta/object.ts'
import type { Workload } from '../../api/scheduling/v1alpha1.types.ts'
import type { PodGroup as AlphaPodGroup } from '../../api/scheduling/v1alpha2.types.ts'
import type { PodGroup } from '../../api/scheduling/v1beta1.types.ts'
import type { ResourceKind } from '../../clients/api-client.ts'
import type { Features } from '../../lifecycle/gates.ts'
import { isSince } from '../../lifecycle/release.ts'

const groupKind = <T extends TypedObject>(version: string, kind: string, resource: string): ResourceKind<T> => ({
  group: 'scheduling.k8s.io',
  version,
  resource,
  kind,
  namespaced: true,
})

/** Objects that describe a group of pods. In 1.35, a Workload has the groups as parts. */
export type GroupObject = Workload | AlphaPodGroup | PodGroup

/**
 * Returns the kind that describes groups of pods, in the version that the scheduler of a release reads. Undefined if the
 * release has no groups, or their gate is off.
 */
export function groupKindOf({ release, enabled }: Pick<Features, 'release' | 'enabled'>): ResourceKind<GroupObject> | undefined {
  if (!isSince(release, '1.35') || !enabled('GenericWorkload')) return undefined
  if (isSince(release, '1.37')) return groupKind('v1beta1', 'PodGroup', 'podgroups')
  return isSince(release, '1.36') ? groupKind('v1alpha2', 'PodGroup', 'podgroups') : groupKind('v1alpha1', 'Workload', 'workloads')
}
