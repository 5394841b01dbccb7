import type { Pod } from '../../../api/core/v1.types.ts'
import type { Workload } from '../../../api/scheduling/v1alpha1.types.ts'
import type { PodGroup as AlphaPodGroup } from '../../../api/scheduling/v1alpha2.types.ts'
import type { PodGroup } from '../../../api/scheduling/v1beta1.types.ts'
import type { ClusterObjects } from '../snapshot.ts'

/** Reference of a pod to its group. */
export interface GroupReference {
  /** Identity of the group. */
  readonly key: string
  /** Namespace and name of the object that describes the group. */
  readonly object: string
  /** Kind of that object. In 1.35, a Workload has the groups as parts. */
  readonly kind: 'Workload' | 'PodGroup'
}

/** Returns the group that a pod belongs to. Undefined if it belongs to none. */
export function groupOf({ metadata: { namespace = '' }, spec }: Pick<Pod, 'metadata' | 'spec'>): GroupReference | undefined {
  const { workloadRef, schedulingGroup } = spec
  if (schedulingGroup?.podGroupName !== undefined) {
    const key = `${namespace}/${schedulingGroup.podGroupName}`
    return { key, object: key, kind: 'PodGroup' }
  }
  if (workloadRef === undefined) return undefined
  const { name, podGroup, podGroupReplicaKey = '' } = workloadRef
  return { key: `${namespace}/${name}/${podGroup}/${podGroupReplicaKey}`, object: `${namespace}/${name}`, kind: 'Workload' }
}

/** How the pods of a group are scheduled. */
export interface GroupRules {
  /** Number of pods that must have a node for any of them to be bound. Undefined if each pod is scheduled by itself. */
  readonly minCount: number | undefined
  /** Optional. Label of nodes in whose values all pods of the group must agree. */
  readonly topologyKey?: string | undefined
  /** Whether preemption takes all pods of the group or none. */
  readonly isDisruptedWhole: boolean
  readonly priority: number
  /** Optional. Preemption policy of the group, if groups have one. */
  readonly preemptionPolicy?: string | undefined
  /** Optional. The object, if it has a status. */
  readonly object?: AlphaPodGroup | PodGroup
}

/** Returns the rules of a pod's group. Undefined if the group does not exist. */
export function groupRules(pod: Pod, objects: Pick<ClusterObjects, 'get'>): GroupRules | undefined {
  const { namespace = '' } = pod.metadata
  const { workloadRef, schedulingGroup } = pod.spec
  if (workloadRef !== undefined) {
    const groups = objects.get<Workload>('Workload', namespace, workloadRef.name)?.spec.podGroups
    const group = groups?.find(({ name }) => name === workloadRef.podGroup)
    return group && { minCount: group.policy.gang?.minCount, isDisruptedWhole: false, priority: 0 }
  }
  const object = objects.get<AlphaPodGroup | PodGroup>('PodGroup', namespace, schedulingGroup?.podGroupName ?? '')
  if (object === undefined) return undefined
  const { schedulingPolicy, schedulingConstraints, disruptionMode, priority = 0 } = object.spec
  return {
    minCount: schedulingPolicy.gang?.minCount,
    topologyKey: schedulingConstraints?.topology?.[0]?.key,
    isDisruptedWhole: typeof disruptionMode === 'object' ? disruptionMode.all !== undefined : disruptionMode === 'PodGroup',
    priority,
    ...('preemptionPolicy' in object.spec && { preemptionPolicy: object.spec.preemptionPolicy }),
    object,
  }
}

/** Returns the pods of a pod's group that have not ended, itself among them. None if it belongs to no group. */
export function membersOf(pod: Pod, objects: Pick<ClusterObjects, 'podsOfGroup'>): readonly Pod[] {
  const group = groupOf(pod)
  return group ? objects.podsOfGroup(group.key) : []
}
