import type { FieldError } from '../../../meta/field-error.ts'
import { required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validateImmutableField, validateNonNegative } from '../../../meta/object-meta-validation.ts'

/** A snapshot: its data never changes, its number may. */
export function validateControllerRevision(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const data = fieldPath('data')
  return [
    ...(next.data === undefined || next.data === null ? [required(data, 'data is mandatory')] : []),
    ...validateNonNegative(next.revision, fieldPath('revision')),
    ...(old ? validateImmutableField(next.data, old.data, data) : []),
  ]
}
