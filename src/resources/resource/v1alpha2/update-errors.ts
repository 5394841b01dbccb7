import type { Json } from '../../../api/meta/object.ts'
import type { Steps } from '../../../lib/steps.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import { type FieldError, immutableError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { goValue } from '../../shared/go-values.ts'

/**
 * Combines the errors of an update. In these releases upstream validates an update like a create first, so errors are
 * reported twice, and changes of immutable fields in between.
 */
export const withUpdateErrors = (errors: readonly FieldError[], isUpdate: boolean, changes: readonly FieldError[] = []): FieldError[] =>
  isUpdate ? [...errors, ...changes, ...errors] : [...errors]

/** Returns an error if the spec has changed. `type` is its Go type. */
export function* changedSpec<S extends Json>(type: string, spec: S, old: { readonly spec: S } | undefined): Steps<FieldError[]> {
  return !old || (yield* deepEqualBySize(spec, old.spec)) ? [] : [immutableError(fieldPath('spec'), goValue(type, spec))]
}
