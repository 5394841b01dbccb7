import type { FieldError } from '../../../meta/field-error.ts'
import { required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validateImmutableField, validateNonNegative } from '../../../meta/object-meta-validation.ts'

const isJsonObject = (value: unknown): boolean => value === null || (typeof value === 'object' && !Array.isArray(value))

/** A snapshot: its data never changes, its number may. */
export function validateControllerRevision(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const data = fieldPath('data')
  return [
    ...validateNonNegative(next.revision, fieldPath('revision')),
    ...(next.data === undefined || next.data === null ? [required(data, 'data is mandatory')] : []),
    ...(!old && next.data !== undefined && !isJsonObject(next.data) ? [required(data, 'data must be a valid JSON object')] : []),
    ...(old ? validateImmutableField(next.data, old.data, data) : []),
  ]
}
