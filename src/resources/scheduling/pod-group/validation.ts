import type { PodGroup, PodGroupTemplateReference } from '../../../api/scheduling/v1alpha2.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { validateMetaConditions } from '../../../meta/condition-validation.ts'
import { type FieldError, invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import {
  validateClaims,
  validateGatedFields,
  validateLabel,
  validateSchedulingPolicy,
  validateSubdomain,
  validateUnchanged,
} from '../pod-groups.ts'

const SPEC_PATH = fieldPath('spec')
const referencePath = SPEC_PATH.child('podGroupTemplateRef')

function validateTemplateRef({ workload }: PodGroupTemplateReference): FieldError[] {
  if (!workload) return [invalid(referencePath, '', 'must specify one of: `workload`')]
  const path = referencePath.child('workload')
  return [
    ...validateSubdomain(workload.workloadName, path.child('workloadName')),
    ...validateLabel(workload.podGroupTemplateName, path.child('podGroupTemplateName')),
  ]
}

const MEMBERS = [
  'podGroupTemplateRef',
  'schedulingPolicy',
  'schedulingConstraints',
  'resourceClaims',
  'disruptionMode',
  'priorityClassName',
  'priority',
] as const

/** Validates a group, which is immutable. Source: declarative validation of scheduling.k8s.io/v1alpha2. */
export function validatePodGroup({ spec }: PodGroup, old: PodGroup | undefined, features: Features): FieldError[] {
  if (old) return validateUnchanged(spec, old.spec, MEMBERS, SPEC_PATH)
  return [
    ...(spec.podGroupTemplateRef ? validateTemplateRef(spec.podGroupTemplateRef) : []),
    ...validateSchedulingPolicy(spec.schedulingPolicy, SPEC_PATH.child('schedulingPolicy')),
    ...validateGatedFields(spec, SPEC_PATH, features),
  ]
}

/** Checks that claim statuses refer to claims of the group. */
export function validatePodGroupStatus({
  spec,
  status,
}: Pick<PodGroup, 'status'> & { readonly spec: Pick<PodGroup['spec'], 'resourceClaims'> }): FieldError[] {
  const path = fieldPath('status')
  const claims = path.child('resourceClaimStatuses')
  const known = new Set(spec.resourceClaims?.map(({ name }) => name))
  const { conditions, resourceClaimStatuses = [] } = status
  return [
    ...validateMetaConditions(conditions, path.child('conditions')),
    ...resourceClaimStatuses.flatMap(({ name }, i) =>
      known.has(name) ? [] : [invalid(claims.index(i).child('name'), name, 'must match the name of an entry in `spec.resourceClaims`')],
    ),
    ...validateClaims(resourceClaimStatuses, claims, ({ resourceClaimName: name }, at) =>
      name === undefined ? [] : isDns1123Subdomain(name).map(text => invalid(at.child('resourceClaimName'), name, text)),
    ),
  ]
}
