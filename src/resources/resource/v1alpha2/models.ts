import { type FieldError, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'

/**
 * Validates an object that has one of several models, of which `namedResources` is the only one. In errors the object
 * itself, whose path is empty, is `<nil>`.
 */
export function validateModel<T>(
  { namedResources }: { readonly namedResources?: T },
  path: FieldPath,
  check: (named: T, at: FieldPath) => readonly FieldError[],
): readonly FieldError[] {
  if (namedResources) return check(namedResources, path.child('namedResources'))
  const error = required(path, 'exactly one structured model field must be set')
  return [path.text === '' ? { ...error, field: '<nil>' } : error]
}
