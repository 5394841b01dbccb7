import type { Pod } from '../../../api/core/v1.types.ts'
import type { Workload } from '../../../api/scheduling/v1alpha1.types.ts'
import type { PodGroupObject } from '../../shared/group-kinds.ts'
import type { ClusterObjects } from '../snapshot.ts'
import type { TreeObject } from './group-trees.ts'

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

/** How the members of a group are scheduled: pods, or the groups of a composite group. */
export interface GroupRules {
  /** Number of members that must be scheduled for any of them to be. Undefined if each is scheduled by itself. */
  readonly minCount: number | undefined
  /** Optional. Label of nodes in whose values all pods of the group must agree. */
  readonly topologyKey?: string | undefined
  /** Whether preemption takes all pods of the group or none. */
  readonly isDisruptedWhole: boolean
  readonly priority: number
  /** Optional. Preemption policy of the group, if groups have one. */
  readonly preemptionPolicy?: string | undefined
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
  const object = objects.get<PodGroupObject>('PodGroup', namespace, schedulingGroup?.podGroupName ?? '')
  return object && rulesOf(object)
}

/** Returns the rules that an object has. */
export function rulesOf({ spec }: TreeObject): GroupRules {
  const { schedulingPolicy, schedulingConstraints, disruptionMode, priority = 0 } = spec
  const { gang } = schedulingPolicy
  return {
    minCount: gang && ('minGroupCount' in gang ? gang.minGroupCount : gang.minCount),
    topologyKey: schedulingConstraints?.topology?.[0]?.key,
    isDisruptedWhole: typeof disruptionMode === 'object' ? disruptionMode.all !== undefined : disruptionMode === 'PodGroup',
    priority,
    ...('preemptionPolicy' in spec && { preemptionPolicy: spec.preemptionPolicy }),
  }
}

/**
 * Returns the pods that have not ended of the tree that a pod's group belongs to, itself among them. None if it belongs
 * to no group.
 */
export function membersOf(pod: Pod, objects: Pick<ClusterObjects, 'podsOfGroup' | 'trees'>): readonly Pod[] {
  const group = groupOf(pod)
  return group ? [...objects.trees.leavesOf(group.key)].flatMap(key => objects.podsOfGroup(key)) : []
}
