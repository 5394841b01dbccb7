import type {
  CompositeDisruptionMode,
  CompositePodGroupSchedulingPolicy,
  DisruptionMode,
  PodGroupResourceClaim,
  PodGroupSchedulingConstraints,
  PodGroupSchedulingPolicy,
} from '../../../api/scheduling/v1beta1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { type FieldError, invalid, notSupported } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import { validateUnion } from '../../shared/union-members.ts'
import { validateClaims, validateGroupClaim, validateMinimum, validateTopology, validateUnchanged } from '../pod-groups.ts'

/**
 * Rules that groups of pods and their templates have in common since 1.37. A value that an update does not change is
 * not validated. Source: declarative validation of scheduling.k8s.io/v1beta1.
 */

/** Highest priority of user-defined classes. System classes have higher ones. */
const HIGHEST_PRIORITY = 1_000_000_000
const PREEMPTION_POLICIES = enumValues('schedulingV1beta1.PreemptionPolicy')
/** Members that an update may not change. The scheduling policy has its own rule. */
const IMMUTABLE = [
  'schedulingConstraints',
  'resourceClaims',
  'disruptionMode',
  'priorityClassName',
  'priority',
  'preemptionPolicy',
] as const

/** Members of groups and templates of both kinds. Composite groups have no claims. */
interface GroupMembers {
  /** Required. A union of `basic` and `gang`. */
  readonly schedulingPolicy: PodGroupSchedulingPolicy | CompositePodGroupSchedulingPolicy
  /** Optional. Topology in which the pods of the group must be placed together. */
  readonly schedulingConstraints?: PodGroupSchedulingConstraints | null
  /** Optional. Claims that the pods of the group share. */
  readonly resourceClaims?: readonly PodGroupResourceClaim[]
  /** Optional. A union of `single` and `all`. */
  readonly disruptionMode?: DisruptionMode | CompositeDisruptionMode
  /** Optional. Name of a PriorityClass, which need not exist. */
  readonly priorityClassName?: string
  /** Optional. The value is at most 1,000,000,000. */
  readonly priority?: number
  /** Optional. A value of the enum. */
  readonly preemptionPolicy?: string
}

/** Validates the members that groups and templates have in common. */
export const validateGroup = (group: GroupMembers, old: GroupMembers | undefined, path: FieldPath): FieldError[] => [
  ...validatePolicy(group.schedulingPolicy, old?.schedulingPolicy, path.child('schedulingPolicy')),
  ...(old ? validateUnchanged(group, old, IMMUTABLE, path) : validateNewMembers(group, path)),
]

/** Validates the members that are immutable. An update only compares them. */
function validateNewMembers(
  { schedulingConstraints, resourceClaims, disruptionMode, priorityClassName, priority, preemptionPolicy }: GroupMembers,
  path: FieldPath,
): FieldError[] {
  return [
    ...(schedulingConstraints
      ? validateTopology(schedulingConstraints.topology ?? [], path.child('schedulingConstraints', 'topology'))
      : []),
    ...validateClaims(resourceClaims ?? [], path.child('resourceClaims'), validateGroupClaim),
    ...(disruptionMode ? validateUnion(disruptionMode, ['single', 'all'], path.child('disruptionMode')) : []),
    ...(priorityClassName
      ? isDns1123Subdomain(priorityClassName).map(text => invalid(path.child('priorityClassName'), priorityClassName, text))
      : []),
    ...((priority ?? 0) > HIGHEST_PRIORITY
      ? [invalid(path.child('priority'), priority, `must be less than or equal to ${HIGHEST_PRIORITY}`)]
      : []),
    ...(preemptionPolicy === undefined || PREEMPTION_POLICIES.includes(preemptionPolicy)
      ? []
      : [notSupported(path.child('preemptionPolicy'), preemptionPolicy, PREEMPTION_POLICIES)]),
  ]
}

/** A scheduling policy of a group of pods or of groups. */
interface Policy {
  /** Set if the pods are scheduled one by one. It has no members. */
  readonly basic?: object
  /** Set if the group is scheduled all or nothing. Groups of pods have `minCount`, groups of groups `minGroupCount`. */
  readonly gang?: { readonly minCount?: number; readonly minGroupCount?: number }
}

/** Validates a policy, whose form is immutable. The minimum of a gang may change. */
function validatePolicy(policy: Policy, old: Policy | undefined, path: FieldPath): FieldError[] {
  if (old && deepEqual(policy, old)) return []
  const { basic, gang } = policy
  const member = gang && 'minGroupCount' in gang ? 'minGroupCount' : 'minCount'
  const at = path.child('gang')
  return [
    ...validateUnion(policy, ['basic', 'gang'], path),
    ...(old && !deepEqual(basic, old.basic) ? [invalid(path.child('basic'), undefined, 'field is immutable')] : []),
    ...(old && gang && !old.gang ? [invalid(at, undefined, 'field cannot be set once created')] : []),
    ...(old?.gang && !gang ? [invalid(at, undefined, 'field cannot be cleared once set')] : []),
    ...(gang && !(old?.gang && deepEqual(gang, old.gang)) ? validateMinimum(gang[member] ?? 0, at.child(member)) : []),
  ]
}
