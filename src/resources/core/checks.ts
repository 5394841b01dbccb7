import type { FieldError } from '../../meta/field-error.ts'
import { invalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isValidIP } from '../../meta/ip.ts'
import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from '../../meta/names.ts'

export const NEGATIVE = 'must be greater than or equal to 0'
export const NOT_POSITIVE = 'must be greater than zero'
export const MAX_INT32 = 2147483647

export { rangeError as inclusiveRange } from '../../meta/names.ts'

export const validateDnsLabel = (value: string, path: FieldPath): FieldError[] => isDns1123Label(value).map(text => invalid(path, value, text))
export const validateDnsSubdomain = (value: string, path: FieldPath): FieldError[] => isDns1123Subdomain(value).map(text => invalid(path, value, text))
/** Label keys are qualified names, too. */
export const validateQualifiedName = (value: string, path: FieldPath): FieldError[] => isQualifiedName(value).map(text => invalid(path, value, text))
export const validateIP = (value: string, path: FieldPath): FieldError[] => isValidIP(value).map(text => invalid(path, value, text))
