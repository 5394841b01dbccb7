import type { FieldError } from '../../meta/field-error.ts'
import { invalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import type { Int64 } from '../../meta/object.ts'
import { validateNonNegative } from '../../meta/object-meta-validation.ts'

/** What has counts of these names. */
export type Counts<K extends string> = Readonly<Partial<Record<K, Int64>>>

/** The counts of a status by their names, in order: none below zero. */
export const validateCounts = <K extends string>(status: Counts<K>, names: readonly K[], path: FieldPath): FieldError[] =>
  names.flatMap(name => validateNonNegative(status[name], path.child(name)))

/** An error where the count `name` is above the count `limit`. */
export const validateAtMost = <K extends string>(status: Counts<K>, name: K, limit: K, detail: string, path: FieldPath): FieldError[] =>
  (status[name] ?? 0) > (status[limit] ?? 0) ? [invalid(path.child(name), status[name] ?? 0, detail)] : []

/** A collision count may only grow, and may not go once it is there. */
export function validateNotDecremented(next: number | undefined, old: number | undefined, path: FieldPath): FieldError[] {
  if (old === undefined || (next !== undefined && next >= old)) return []
  return [invalid(path, next ?? 0, 'cannot be decremented')]
}
