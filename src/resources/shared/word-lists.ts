import { type FieldError, invalid, notSupported } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'

/** `*` in a list means all, and stands alone. @param what the other elements are, for the error. */
export const starStandsAlone = (list: readonly string[], path: FieldPath, what: string): FieldError[] =>
  list.length > 1 && list.includes('*') ? [invalid(path, list, `if '*' is present, must not specify other ${what}`)] : []

/** A value that is given is one of these. */
export const validateOneOf = (value: string | undefined, values: readonly string[], path: FieldPath): FieldError[] =>
  value === undefined || values.includes(value) ? [] : [notSupported(path, value, values)]
