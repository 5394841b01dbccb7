import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, notSupported } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { validateParameters, validateProvisioner } from '../parameters.ts'
import { validateAllowedTopologies } from './topologies.ts'

const RECLAIM_POLICIES = ['Delete', 'Retain']
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer']

function validateChoice(object: KubeObject, field: string, choices: readonly string[]): FieldError[] {
  const value: string = object[field] ?? ''
  return choices.includes(value) ? [] : [notSupported(fieldPath(field), value, choices)]
}

function validateUpdate(next: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...['parameters', 'provisioner', 'reclaimPolicy'].flatMap(field =>
      deepEqual(next[field], old[field]) ? [] : [forbidden(fieldPath(field), `updates to ${field} are forbidden.`)],
    ),
    ...validateImmutableField(next.volumeBindingMode, old.volumeBindingMode, fieldPath('volumeBindingMode')),
  ]
}

export function validateStorageClass(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  return [
    ...validateProvisioner(next.provisioner ?? '', fieldPath('provisioner')),
    ...validateParameters(next.parameters ?? {}, true, fieldPath('parameters')),
    ...(next.reclaimPolicy === '' ? [] : validateChoice(next, 'reclaimPolicy', RECLAIM_POLICIES)),
    ...validateChoice(next, 'volumeBindingMode', BINDING_MODES),
    ...validateAllowedTopologies(next.allowedTopologies ?? [], fieldPath('allowedTopologies')),
    ...(old ? validateUpdate(next, old) : []),
  ]
}
