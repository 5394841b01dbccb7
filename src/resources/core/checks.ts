import type { FieldError } from '../../meta/field-error.ts'
import { invalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from '../../meta/names.ts'

/** Messages that many rules share, in upstream’s words. */
export const NEGATIVE = 'must be greater than or equal to 0'
export const NOT_POSITIVE = 'must be greater than zero'
/** The largest value of a Go int32. */
export const MAX_INT32 = 2147483647

export { rangeError as inclusiveRange } from '../../meta/names.ts'

/**
 * Checks an RFC 1123 label: at most 63 lower-case letters, digits and inner hyphens. Returns one error for each rule
 * that is broken.
 */
export const validateDnsLabel = (value: string, path: FieldPath): FieldError[] =>
  isDns1123Label(value).map(text => invalid(path, value, text))
/** Checks an RFC 1123 subdomain: labels separated by dots, at most 253 characters in all. */
export const validateDnsSubdomain = (value: string, path: FieldPath): FieldError[] =>
  isDns1123Subdomain(value).map(text => invalid(path, value, text))
/**
 * Checks a qualified name: an optional DNS prefix and a name, as in `example.com/name`. Label keys have the same form.
 */
export const validateQualifiedName = (value: string, path: FieldPath): FieldError[] =>
  isQualifiedName(value).map(text => invalid(path, value, text))
