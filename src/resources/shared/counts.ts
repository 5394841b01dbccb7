import type { Int64 } from '../../api/meta/object.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { invalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { validateNonNegative } from '../../meta/object-meta-validation.ts'
import type { Rule } from '../../meta/rules.ts'

/** An object with counts of these names. */
export type Counts<K extends string> = Readonly<Partial<Record<K, Int64>>>

/** Checks that the counts of a status are not negative, in the given order. */
export const validateCounts = <K extends string>(status: Counts<K>, names: readonly K[], path: FieldPath): FieldError[] =>
  names.flatMap(name => validateNonNegative(status[name], path.child(name)))

/** Checks that the count `name` does not exceed the count `limit`. */
export const atMost =
  <S extends Counts<K>, K extends keyof S & string>(name: K, limit: K, detail: string): Rule<S> =>
  (status, path) =>
    (status[name] ?? 0) > (status[limit] ?? 0) ? [invalid(path.child(name), status[name] ?? 0, detail)] : []

/** Checks that a collision count neither decreases nor is removed. */
export function validateNotDecremented(next: number | undefined, path: FieldPath, old: number | undefined): FieldError[] {
  if (old === undefined || (next !== undefined && next >= old)) return []
  return [invalid(path, next ?? 0, 'cannot be decremented')]
}
