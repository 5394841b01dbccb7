import type { HookContext } from '../../../catalog/definition.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, forbidden, notSupported } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isMemberExactly } from '../../../meta/given-empty.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { enumValues } from '../../types.ts'
import { validateParameters, validateProvisioner } from '../parameters.ts'
import type { StorageClass } from '../v1.types.ts'
import { validateAllowedTopologies } from './topologies.ts'

const RECLAIM_POLICIES = ['Delete', 'Retain']
const BINDING_MODES = enumValues('storage.VolumeBindingMode')

const validateChoice = (value: string, path: FieldPath, choices: readonly string[]): FieldError[] =>
  choices.includes(value) ? [] : [notSupported(path, value, choices)]

/**
 * Validates an update. A changed volumeBindingMode is an invalid value; a change of the other fields was forbidden before 1.36. Upstream has these two forms.
 */
function validateUpdate(next: StorageClass, old: StorageClass, { release }: Features): FieldError[] {
  const fixed = (field: 'parameters' | 'provisioner' | 'reclaimPolicy' | 'volumeBindingMode'): FieldError[] =>
    covered('immutable', validateImmutableField(next[field], old[field], fieldPath(field)))
  const forbiddenBefore = (field: 'parameters' | 'provisioner' | 'reclaimPolicy'): FieldError[] => {
    if (isSince(release, '1.36')) return fixed(field)
    return isMemberExactly(next, old, field) ? [] : [forbidden(fieldPath(field), `updates to ${field} are forbidden.`)]
  }
  return [...forbiddenBefore('parameters'), ...forbiddenBefore('provisioner'), ...forbiddenBefore('reclaimPolicy'), ...fixed('volumeBindingMode')]
}

/** Validates a class. Provisioner, parameters, reclaim policy and binding mode are immutable. Source: pkg/apis/storage/validation in k8s.io/kubernetes. */
export function validateStorageClass(next: StorageClass, old: StorageClass | undefined, { features }: HookContext): FieldError[] {
  return [
    ...validateProvisioner(next.provisioner, fieldPath('provisioner')),
    ...validateParameters(next.parameters ?? {}, true, fieldPath('parameters')),
    // An empty string is valid. Defaults have set an absent policy to `Delete`.
    ...(next.reclaimPolicy === '' ? [] : validateChoice(next.reclaimPolicy ?? '', fieldPath('reclaimPolicy'), RECLAIM_POLICIES)),
    ...validateChoice(next.volumeBindingMode ?? '', fieldPath('volumeBindingMode'), BINDING_MODES),
    ...validateAllowedTopologies(next.allowedTopologies ?? [], fieldPath('allowedTopologies')),
    ...(old ? validateUpdate(next, old, features) : []),
  ]
}
