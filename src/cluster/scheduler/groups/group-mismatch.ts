import type { Pod } from '../../../api/core/v1.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { podPriority } from '../../shared/pods.ts'
import { schedulerName } from '../attempt-reports.ts'
import { type GroupNode, nodesOf } from './group-tree.ts'
import type { GroupRules } from './pod-group.ts'

/** Properties that the pods of a group must have in common, besides the name of their scheduler. */
export interface CommonRules {
  /** Whether the priority of the group and the preemption policy count, and pods that have nodes: since 1.37. */
  readonly isComplete: boolean
  /** Whether groups have a preemption policy: gate PodGroupPreemptionPolicy. */
  readonly hasPolicy: boolean
}

const ALL = 'all pods in a single pod group should have the same'

/**
 * Returns how the pods of a group differ in what they must have in common. Undefined if they do not. Source:
 * validatePodGroup of pkg/scheduler/schedule_one_podgroup.go.
 *
 * @param pods pods that wait, the first one to be scheduled first, then those that have nodes
 */
export function groupMismatch(
  pods: readonly Pod[],
  { priority, preemptionPolicy }: Pick<GroupRules, 'priority' | 'preemptionPolicy'>,
  { isComplete, hasPolicy }: CommonRules,
): string | undefined {
  const [first] = pods
  if (first === undefined) return undefined
  const name = schedulerName(first)
  const policy = hasPolicy ? preemptionPolicy || DEFAULT_POLICY : preemptionPolicyOf(first)
  for (const pod of pods) {
    const own = schedulerName(pod)
    if (own !== name) return `${ALL} .spec.schedulerName set, got: ${isComplete ? `"${own}" and "${name}"` : `"${name}" and "${own}"`}`
    if (!isComplete) continue
    if (podPriority(pod) !== priority) return `${ALL} priority as the pod group's priority, got ${podPriority(pod)} and ${priority}`
    const ownPolicy = preemptionPolicyOf(pod)
    if (ownPolicy !== policy)
      return `${ALL} preemption policy${hasPolicy ? " as the pod group's preemption policy" : ''}, got ${ownPolicy} and ${policy}`
  }
  return undefined
}

const ALL_GROUPS = 'all pod groups in a hierarchy should have the same'

/** Returns how the groups of a tree differ in what they must have in common with the root. Undefined if they do not. */
export function treeMismatch(root: GroupNode, { hasPolicy }: Pick<CommonRules, 'hasPolicy'>): string | undefined {
  const { priority, preemptionPolicy } = root.rules
  const policy = preemptionPolicy || DEFAULT_POLICY
  for (const { object, rules } of nodesOf(root)) {
    const compared = (own: string | number, others: string | number): string =>
      `got ${own} ("${objectKey(object)}") and ${others} ("${objectKey(root.object)}")`
    if (rules.priority !== priority) return `${ALL_GROUPS} priority as the root pod group's priority, ${compared(rules.priority, priority)}`
    const own = rules.preemptionPolicy || DEFAULT_POLICY
    if (hasPolicy && own !== policy)
      return `${ALL_GROUPS} preemption policy as the root pod group's preemption policy, ${compared(own, policy)}`
  }
  return undefined
}

const DEFAULT_POLICY = 'PreemptLowerPriority'

const preemptionPolicyOf = ({ spec }: Pod): string => spec.preemptionPolicy || DEFAULT_POLICY
