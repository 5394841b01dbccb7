import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validateParameters, validateProvisioner } from '../parameters.ts'

export function validateVolumeAttributesClass(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const errors = [
    ...validateProvisioner(next.driverName ?? '', fieldPath('driverName')),
    ...validateParameters(next.parameters ?? {}, false, fieldPath('parameters')),
  ]
  if (!old) return errors
  const changed = ['driverName', 'parameters'].filter(field => !deepEqual(next[field], old[field]))
  // An update is checked as a new object before and after, so upstream tells every cause twice.
  return [...errors, ...changed.map(field => forbidden(fieldPath(field), `updates to ${field} are forbidden.`)), ...errors]
}
