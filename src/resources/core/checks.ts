import type { FieldError } from '../../meta/field-error.ts'
import { invalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isValidIP } from '../../meta/ip.ts'
import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from '../../meta/names.ts'
import type { KubeObject } from '../../meta/object.ts'

/** A struct of an API type, decoded: its schema has checked the types of its members, which are any-typed as those of KubeObject are. */
export type ApiStruct = KubeObject['spec']

/** Where checks put what they find, in the order in which they find it. */
export type Errors = FieldError[]

export const NEGATIVE = 'must be greater than or equal to 0'
export const NOT_POSITIVE = 'must be greater than zero'
export const MAX_INT32 = 2147483647

export { rangeError as inclusiveRange } from '../../meta/names.ts'

/** One error for each text. */
export function report(texts: readonly string[], path: FieldPath, value: unknown, errors: Errors): void {
  for (const text of texts) errors.push(invalid(path, value, text))
}

export const checkDnsLabel = (value: string, path: FieldPath, errors: Errors): void => report(isDns1123Label(value), path, value, errors)
export const checkDnsSubdomain = (value: string, path: FieldPath, errors: Errors): void => report(isDns1123Subdomain(value), path, value, errors)
/** Label keys are qualified names, too. */
export const checkQualifiedName = (value: string, path: FieldPath, errors: Errors): void => report(isQualifiedName(value), path, value, errors)
export const checkIP = (value: string, path: FieldPath, errors: Errors): void => report(isValidIP(value), path, value, errors)

export function checkNonNegative(value: number | undefined, path: FieldPath, errors: Errors): void {
  if (value !== undefined && value < 0) errors.push(invalid(path, value, NEGATIVE))
}
