import { isStepDone, isSteps, type Steps } from '../lib/steps.ts'
import { appendErrors, type FieldError } from './field-error.ts'
import type { FieldPath } from './field-path.ts'

/** Validates each item of a list that may be long, in steps. Returns the errors of all. */
export function* itemErrors<T>(
  items: readonly T[],
  path: FieldPath,
  validate: (item: T, at: FieldPath) => readonly FieldError[] | Steps<readonly FieldError[]>,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, item] of items.entries()) {
    if (isStepDone()) yield
    const found = validate(item, path.index(i))
    appendErrors(errors, isSteps(found) ? yield* found : found)
  }
  return errors
}

/** `itemErrors` of items that must be unique. `repeated` returns the error of one that is not. */
export function* uniqueItemErrors<T>(
  items: readonly T[],
  path: FieldPath,
  validate: (item: T, at: FieldPath) => readonly FieldError[],
  repeated: (item: T, at: FieldPath) => FieldError,
): Steps<FieldError[]> {
  const seen = new Set<T>()
  return yield* itemErrors(items, path, (item, at) => {
    const errors = validate(item, at)
    const isRepeated = seen.has(item)
    seen.add(item)
    return isRepeated ? [...errors, repeated(item, at)] : errors
  })
}
