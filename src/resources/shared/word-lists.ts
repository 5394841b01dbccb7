import { type FieldError, invalid, notSupported } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'

/**
 * Checks that `*`, which means all, is the only element.
 * @param what word for the other elements, for the error.
 */
export const starStandsAlone = (list: readonly string[], path: FieldPath, what: string): FieldError[] =>
  list.length > 1 && list.includes('*') ? [invalid(path, list, `if '*' is present, must not specify other ${what}`)] : []

/** Checks that a value, if set, is one of `values`. */
export const validateOneOf = (value: string | undefined, values: readonly string[], path: FieldPath): FieldError[] =>
  value === undefined || values.includes(value) ? [] : [notSupported(path, value, values)]
