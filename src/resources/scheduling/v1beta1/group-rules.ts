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
  readonly schedulingPolicy: PodGroupSchedulingPolicy | CompositePodGroupSchedulingPolicy
  readonly schedulingConstraints?: PodGroupSchedulingConstraints | null
  readonly resourceClaims?: readonly PodGroupResourceClaim[]
  readonly disruptionMode?: DisruptionMode | CompositeDisruptionMode
  readonly priorityClassName?: string
  readonly priority?: number
  readonly preemptionPolicy?: string
}

/** Validates the members that groups and templates have in common. */
export const validateGroup = (group: GroupMembers, old: GroupMembers | undefined, path: FieldPath): FieldError[] => [
  ...validatePolicy(group.schedulingPolicy, old?.schedulingPolicy, path.child('schedulingPolicy')),
  ...(old ? validateUnchanged(group, old, IMMUTABLE, path) : validateNewMembers(group, path)),
]

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
  readonly basic?: object
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
