import type { TypedObject } from '../../api/meta/object.ts'
import type { Workload } from '../../api/scheduling/v1alpha1.types.ts'
import type { PodGroup as AlphaPodGroup } from '../../api/scheduling/v1alpha2.types.ts'
import type { CompositePodGroup, PodGroup } from '../../api/scheduling/v1beta1.types.ts'
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

/** A group of pods that is an object of its own: since 1.36. */
export type PodGroupObject = AlphaPodGroup | PodGroup

/** Objects that describe a group of pods. In 1.35, a Workload has the groups as parts. */
export type GroupObject = Workload | PodGroupObject

type Gates = Pick<Features, 'release' | 'enabled'>

/**
 * Returns the kind of groups that are objects of their own, in the version that the parts of a release read. Undefined
 * if the release has none, or their gate is off.
 */
export function podGroupKindOf({ release, enabled }: Gates): ResourceKind<PodGroupObject> | undefined {
  if (!isSince(release, '1.36') || !enabled('GenericWorkload')) return undefined
  return groupKind(isSince(release, '1.37') ? 'v1beta1' : 'v1alpha2', 'PodGroup', 'podgroups')
}

/** Returns the kind of groups of groups. Undefined if the release has none, or their gate is off. */
export function compositeKindOf({ release, enabled }: Gates): ResourceKind<CompositePodGroup> | undefined {
  if (!isSince(release, '1.37') || !enabled('CompositePodGroup')) return undefined
  return groupKind(isSince(release, '1.38') ? 'v1beta1' : 'v1alpha3', 'CompositePodGroup', 'compositepodgroups')
}

/** Returns the kind that describes groups of pods, as `podGroupKindOf` does. In 1.35, it is that of workloads. */
export function groupKindOf(gates: Gates): ResourceKind<GroupObject> | undefined {
  if (gates.release !== '1.35') return podGroupKindOf(gates)
  return gates.enabled('GenericWorkload') ? groupKind('v1alpha1', 'Workload', 'workloads') : undefined
}
