import type {
  PodGroupResourceClaim,
  PodGroupSchedulingPolicy,
  PodGroupSpec,
  PodGroupTemplate,
  TypedLocalObjectReference,
} from '../../api/scheduling/v1alpha2.types.ts'
import { enumValues } from '../../catalog/types.ts'
import type { Features } from '../../lifecycle/gates.ts'
import { deepEqual } from '../../meta/equal.ts'
import {
  type Detail,
  duplicate,
  type FieldError,
  forbidden,
  immutableError,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isDns1123Label, isDns1123Subdomain, isQualifiedName, nameIsPathSegment } from '../../meta/names.ts'
import { validateUnion } from '../shared/union-members.ts'

/**
 * Limits that a PodGroup and its template in a Workload have in common. Source: declarative validation of
 * scheduling.k8s.io/v1alpha2 in 1.36.
 */

const MOST_CLAIMS = 4
const MOST_TOPOLOGIES = 1
/** Highest priority of user-defined classes. System classes have higher ones. */
const HIGHEST_PRIORITY = 1_000_000_000
const DISRUPTION_MODES = enumValues('schedulingV1alpha2.DisruptionMode')

/** Returns the errors of a name, if it is set. */
const badNames = (check: (name: string) => Detail[], name: string | undefined, path: FieldPath): FieldError[] =>
  name === undefined ? [] : check(name).map(text => invalid(path, name, text))

/** Validates a required DNS label. */
export const validateLabel = (name: string, path: FieldPath): FieldError[] =>
  name === '' ? [required(path)] : badNames(isDns1123Label, name, path)
/** Validates a required DNS subdomain. */
export const validateSubdomain = (name: string, path: FieldPath): FieldError[] =>
  name === '' ? [required(path)] : badNames(isDns1123Subdomain, name, path)

/** Validates each element. The first duplicate name is an error as well. */
export function validateNamed<T extends { readonly name: string }>(
  items: readonly T[],
  path: FieldPath,
  check: (item: T, at: FieldPath) => FieldError[],
): FieldError[] {
  const seen = new Set<string>()
  const again = items.flatMap((item, i) => {
    if (seen.has(item.name)) return [duplicate(path.index(i), item)]
    seen.add(item.name)
    return []
  })
  return [...again, ...items.flatMap((item, i) => check(item, path.index(i)))]
}

/** Validates a policy: exactly one of `basic` and `gang`, the latter with a minimum of pods. */
export const validateSchedulingPolicy = (policy: PodGroupSchedulingPolicy, path: FieldPath): FieldError[] => [
  ...validateUnion(policy, ['basic', 'gang'], path),
  ...(policy.gang ? validateMinimum(policy.gang.minCount, path.child('gang', 'minCount')) : []),
]

/** Validates a minimum count. 0 counts as unset. */
export function validateMinimum(count: number, path: FieldPath): FieldError[] {
  if (count === 0) return [required(path)]
  return count < 1 ? [invalid(path, count, 'must be greater than or equal to 1')] : []
}

/** Validates a claim of a group. */
export const validateGroupClaim = (claim: PodGroupResourceClaim, path: FieldPath): FieldError[] => [
  ...validateUnion(claim, ['resourceClaimName', 'resourceClaimTemplateName'], path),
  ...validateLabel(claim.name, path.child('name')),
  ...badNames(isDns1123Subdomain, claim.resourceClaimName, path.child('resourceClaimName')),
  ...badNames(isDns1123Subdomain, claim.resourceClaimTemplateName, path.child('resourceClaimTemplateName')),
]

/** Validates the claims of a group, or those in its status. */
export const validateClaims = <T extends { readonly name: string }>(
  claims: readonly T[],
  path: FieldPath,
  check: (claim: T, at: FieldPath) => FieldError[],
): FieldError[] => (claims.length > MOST_CLAIMS ? [tooMany(path, claims.length, MOST_CLAIMS)] : validateNamed(claims, path, check))

/** Fields that groups and templates have since 1.36. */
type GatedFields = Pick<
  PodGroupSpec | PodGroupTemplate,
  'schedulingConstraints' | 'resourceClaims' | 'disruptionMode' | 'priorityClassName' | 'priority'
>

/**
 * Validates fields with a gate. While it is off, a field is allowed only if the old object has it, and then immutable.
 */
export function validateGatedFields(group: GatedFields, path: FieldPath, features: Features): FieldError[] {
  const { schedulingConstraints, resourceClaims = [], disruptionMode, priorityClassName, priority } = group
  const allowed = (
    gate: 'TopologyAwareWorkloadScheduling' | 'WorkloadAwarePreemption',
    member: string,
    errors: () => FieldError[],
  ): FieldError[] => (features.enabled(gate) ? errors() : [forbidden(path.child(member), '')])
  const at = path.child('priority')
  return [
    ...(schedulingConstraints
      ? allowed('TopologyAwareWorkloadScheduling', 'schedulingConstraints', () =>
          validateTopology(schedulingConstraints.topology ?? [], path.child('schedulingConstraints', 'topology')),
        )
      : []),
    ...validateClaims(resourceClaims, path.child('resourceClaims'), validateGroupClaim),
    ...(disruptionMode === undefined
      ? []
      : allowed('WorkloadAwarePreemption', 'disruptionMode', () =>
          DISRUPTION_MODES.includes(disruptionMode) ? [] : [notSupported(path.child('disruptionMode'), disruptionMode, DISRUPTION_MODES)],
        )),
    ...(priorityClassName
      ? allowed('WorkloadAwarePreemption', 'priorityClassName', () =>
          badNames(isDns1123Subdomain, priorityClassName, path.child('priorityClassName')),
        )
      : []),
    ...(priority === undefined
      ? []
      : allowed('WorkloadAwarePreemption', 'priority', () =>
          priority > HIGHEST_PRIORITY ? [invalid(at, priority, `must be less than or equal to ${HIGHEST_PRIORITY}`)] : [],
        )),
  ]
}

/** Validates the topologies in which the pods of a group are placed together. */
export function validateTopology(topology: readonly { readonly key: string }[], path: FieldPath): FieldError[] {
  if (topology.length > MOST_TOPOLOGIES) return [tooMany(path, topology.length, MOST_TOPOLOGIES)]
  return topology.flatMap(({ key }, i) => {
    const at = path.index(i).child('key')
    return key === '' ? [required(at)] : badNames(isQualifiedName, key, at)
  })
}

/** Validates the reference to the owner of a workload in its namespace. */
export function validateControllerRef({ apiGroup, kind, name }: TypedLocalObjectReference, path: FieldPath): FieldError[] {
  const segment = (text: string, at: FieldPath): FieldError[] =>
    text === '' ? [required(at)] : badNames(each => nameIsPathSegment(each, false), text, at)
  return [
    ...(apiGroup ? badNames(isDns1123Subdomain, apiGroup, path.child('apiGroup')) : []),
    ...segment(kind, path.child('kind')),
    ...segment(name, path.child('name')),
  ]
}

/** Returns an error for each member that has changed. */
export const validateUnchanged = <T extends object>(
  next: T,
  old: T,
  members: readonly (keyof T & string)[],
  path: FieldPath,
): FieldError[] =>
  members.filter(member => !deepEqual(next[member], old[member])).map(member => immutableError(path.child(member), undefined))
