import type { CompositePodGroup } from '../../../api/scheduling/v1alpha3.types.ts'
import type { PodGroup, PodGroupSpec, WorkloadReference } from '../../../api/scheduling/v1beta1.types.ts'
import { validateMetaConditions } from '../../../meta/condition-validation.ts'
import { type FieldError, invalid, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import { validateLabel, validateSubdomain, validateUnchanged } from '../pod-groups.ts'
import { validateGroup } from './group-rules.ts'

const SPEC_PATH = fieldPath('spec')

const validateWorkloadRef = ({ workloadName, templateName }: WorkloadReference, path: FieldPath): FieldError[] => [
  ...validateSubdomain(workloadName, path.child('workloadName')),
  ...validateLabel(templateName, path.child('templateName')),
]

/** Validates the references of a group, which are immutable. */
function validateReferences(
  spec: Pick<PodGroupSpec, 'parentCompositePodGroupName'> & { readonly workloadRef?: WorkloadReference | null },
  old: typeof spec | undefined,
): FieldError[] {
  if (old) return validateUnchanged(spec, old, ['parentCompositePodGroupName', 'workloadRef'], SPEC_PATH)
  const { parentCompositePodGroupName: parent, workloadRef } = spec
  return [
    ...(parent === undefined
      ? []
      : isDns1123Subdomain(parent).map(text => invalid(SPEC_PATH.child('parentCompositePodGroupName'), parent, text))),
    ...(workloadRef ? validateWorkloadRef(workloadRef, SPEC_PATH.child('workloadRef')) : []),
  ]
}

/** Validates a group of pods by the rules of 1.37. All is immutable but the minimum of a gang. */
export const validateBetaPodGroup = ({ spec }: PodGroup, old: PodGroup | undefined): FieldError[] => [
  ...validateReferences(spec, old?.spec),
  ...validateGroup(spec, old?.spec, SPEC_PATH),
]

/** Validates a group of groups, which names its workload. */
export const validateCompositePodGroup = ({ spec }: CompositePodGroup, old: CompositePodGroup | undefined): FieldError[] => [
  ...(spec.workloadRef ? [] : [required(SPEC_PATH.child('workloadRef'))]),
  ...validateReferences(spec, old?.spec),
  ...validateGroup(spec, old?.spec, SPEC_PATH),
]

/** Validates the status of a group of groups. */
export const validateCompositeStatus = ({ status }: CompositePodGroup): FieldError[] =>
  validateMetaConditions(status.conditions, fieldPath('status', 'conditions'))
