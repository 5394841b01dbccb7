import { isMemberExactly } from '../../meta/empty-members.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { forbidden } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'

/** Limit on the size of all values of a ConfigMap or Secret together, in bytes. */
export const MAX_DATA_BYTES = 1024 * 1024

const FROZEN = 'field is immutable when `immutable` is set'

/** Checks an update of an immutable ConfigMap or Secret: neither `immutable` nor the named members may change. */
export function validateImmutableData<T extends { readonly immutable?: boolean }>(
  next: T,
  old: T | undefined,
  ...members: (keyof T & string)[]
): FieldError[] {
  if (old?.immutable !== true) return []
  const errors: FieldError[] = []
  if (next.immutable !== true) errors.push(forbidden(fieldPath('immutable'), FROZEN))
  for (const member of members) if (!isMemberExactly(next, old, member)) errors.push(forbidden(fieldPath(member), FROZEN))
  return errors
}
