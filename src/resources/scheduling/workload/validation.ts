import type { PodGroupSchedulingPolicy, PodGroupTemplate, Workload } from '../../../api/scheduling/v1alpha2.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { duplicate, type FieldError, immutableError, invalid, required, tooMany } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { goMember } from '../../shared/go-values.ts'
import {
  validateControllerRef,
  validateGatedFields,
  validateLabel,
  validateNamed,
  validateSchedulingPolicy,
  validateUnchanged,
} from '../pod-groups.ts'

const MOST_GROUPS = 8
const SPEC_PATH = fieldPath('spec')

function validateTemplates(templates: readonly PodGroupTemplate[], path: FieldPath, features: Features): FieldError[] {
  if (templates.length === 0) return [required(path)]
  if (templates.length > MOST_GROUPS) return [tooMany(path, templates.length, MOST_GROUPS)]
  return validateNamed(templates, path, (template, at) => [
    ...validateLabel(template.name, at.child('name')),
    ...validateSchedulingPolicy(template.schedulingPolicy, at.child('schedulingPolicy')),
    ...validateGatedFields(template, at, features),
  ])
}

/**
 * Validates a workload by the rules of 1.36. The spec is immutable. Source: declarative validation of
 * scheduling.k8s.io/v1alpha2.
 */
export function validateWorkload({ spec }: Workload, old: Workload | undefined, features: Features): FieldError[] {
  if (old) return validateUnchanged(spec, old.spec, ['controllerRef', 'podGroupTemplates'], SPEC_PATH)
  return [
    ...(spec.controllerRef ? validateControllerRef(spec.controllerRef, SPEC_PATH.child('controllerRef')) : []),
    ...validateTemplates(spec.podGroupTemplates ?? [], SPEC_PATH.child('podGroupTemplates'), features),
  ]
}

function validateFirstPolicy({ basic, gang }: PodGroupSchedulingPolicy, path: FieldPath): FieldError[] {
  if (basic && gang) return [invalid(path, '{`basic`, `gang`}', 'exactly one of `basic`, `gang` is required, but multiple fields are set')]
  if (!basic && !gang) return [required(path, 'exactly one of `basic`, `gang` is required')]
  return gang && gang.minCount <= 0 ? [invalid(path.child('gang', 'minCount'), gang.minCount, 'must be greater than 0')] : []
}

/**
 * Rules of v1alpha1 (1.35). A duplicate name is reported besides the errors of the name itself, a policy by its first
 * error.
 */
function validateFirstGroups(groups: readonly PodGroupTemplate[], path: FieldPath): FieldError[] {
  if (groups.length === 0) return [required(path, 'must have at least one item')]
  if (groups.length > MOST_GROUPS) return [tooMany(path, groups.length, MOST_GROUPS)]
  const names = new Set<string>()
  return groups.flatMap(({ name, schedulingPolicy }, i) => {
    const at = path.index(i)
    const again = names.has(name) ? [duplicate(at.child('name'), name)] : []
    names.add(name)
    const faults = nameIsDnsSubdomain(name, false).map(text => invalid(at.child('name'), name, text))
    return [...faults, ...again, ...validateFirstPolicy(schedulingPolicy, at.child('policy'))]
  })
}

/**
 * Validates a workload by the rules of 1.35. The owner may be set later, once; errors about changes are reported for
 * the members themselves, as in upstream. Source: pkg/apis/scheduling/validation in k8s.io/kubernetes.
 */
export function validateFirstWorkload({ spec }: Workload, old: Workload | undefined): FieldError[] {
  const { controllerRef, podGroupTemplates } = spec
  const type = 'schedulingV1alpha2.WorkloadSpec'
  return [
    ...(controllerRef ? validateControllerRef(controllerRef, SPEC_PATH.child('controllerRef')) : []),
    ...validateFirstGroups(podGroupTemplates ?? [], SPEC_PATH.child('podGroups')),
    ...(old?.spec.controllerRef && !deepEqual(controllerRef, old.spec.controllerRef)
      ? [immutableError(fieldPath('controllerRef'), goMember(type, 'controllerRef', controllerRef))]
      : []),
    ...(old && !deepEqual(podGroupTemplates, old.spec.podGroupTemplates)
      ? [immutableError(fieldPath('podGroups'), goMember(type, 'podGroupTemplates', podGroupTemplates))]
      : []),
  ]
}
