import { deepEqual } from '../../../meta/equal.ts'
import { type FieldError, invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { Json } from '../../../meta/object.ts'
import { goValue } from '../../shared/go-values.ts'

/** In these releases, upstream validates an update as a creation first: what is wrong is reported twice, and what may not change in between. */
export const withUpdateErrors = (errors: readonly FieldError[], isUpdate: boolean, changes: readonly FieldError[] = []): FieldError[] =>
  isUpdate ? [...errors, ...changes, ...errors] : [...errors]

/** `type` is the Go type of the spec. */
export const changedSpec = <S extends Json>(type: string, spec: S, old: { readonly spec: S } | undefined): FieldError[] =>
  !old || deepEqual(spec, old.spec) ? [] : [invalid(fieldPath('spec'), goValue(type, spec), 'field is immutable')]
