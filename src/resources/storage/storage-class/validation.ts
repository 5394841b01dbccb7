import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, notSupported } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { validateParameters, validateProvisioner } from '../parameters.ts'
import type { StorageClass } from '../v1.types.ts'
import { validateAllowedTopologies } from './topologies.ts'

const RECLAIM_POLICIES = ['Delete', 'Retain']
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer']

const validateChoice = (value: string, path: FieldPath, choices: readonly string[]): FieldError[] =>
  choices.includes(value) ? [] : [notSupported(path, value, choices)]

/** A changed volumeBindingMode is an invalid value, a change of the other fields is forbidden: upstream has two forms. */
function validateUpdate(next: StorageClass, old: StorageClass): FieldError[] {
  return [
    ...(['parameters', 'provisioner', 'reclaimPolicy'] as const).flatMap(field =>
      deepEqual(next[field], old[field]) ? [] : [forbidden(fieldPath(field), `updates to ${field} are forbidden.`)],
    ),
    ...validateImmutableField(next.volumeBindingMode, old.volumeBindingMode, fieldPath('volumeBindingMode')),
  ]
}

/** Provisioner, parameters, reclaim policy and binding mode never change. Source: pkg/apis/storage/validation in k8s.io/kubernetes. */
export function validateStorageClass(next: StorageClass, old: StorageClass | undefined): FieldError[] {
  return [
    ...validateProvisioner(next.provisioner, fieldPath('provisioner')),
    ...validateParameters(next.parameters ?? {}, true, fieldPath('parameters')),
    // The empty text passes; for an absent policy the defaults have filled in `Delete`.
    ...(next.reclaimPolicy === '' ? [] : validateChoice(next.reclaimPolicy ?? '', fieldPath('reclaimPolicy'), RECLAIM_POLICIES)),
    ...validateChoice(next.volumeBindingMode ?? '', fieldPath('volumeBindingMode'), BINDING_MODES),
    ...validateAllowedTopologies(next.allowedTopologies ?? [], fieldPath('allowedTopologies')),
    ...(old ? validateUpdate(next, old) : []),
  ]
}
