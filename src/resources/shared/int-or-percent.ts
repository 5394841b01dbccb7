import type { IntOrString } from '../../api/meta/object.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { invalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isValidPercent } from '../../meta/names.ts'
import { validateNonNegative } from '../../meta/object-meta-validation.ts'
import { goIntOrStringValue } from './go-syntax.ts'

/** Validates a non-negative integer or a percentage. An absent value is 0. */
export function validateIntOrPercent(value: IntOrString | undefined, path: FieldPath): FieldError[] {
  if (typeof value === 'string') return isValidPercent(value).map(text => invalid(path, goIntOrStringValue(value), text))
  return validateNonNegative(value, path)
}

/** Returns the number of a valid percentage, or undefined. */
function percentOf(value: IntOrString | undefined): number | undefined {
  return typeof value === 'string' && isValidPercent(value).length === 0 ? Number(value.slice(0, -1)) : undefined
}

/** Returns the number, or that of the percentage. Any other string counts as the number that it spells, or 0. */
export function intOrPercentValue(value: IntOrString | undefined): number {
  const percent = percentOf(value)
  if (percent !== undefined) return percent
  if (typeof value === 'string') return /^[+-]?\d+$/.test(value) ? Number(value) : 0
  return value ?? 0
}

/** Checks that a percentage is at most 100%. Integers are not limited here. */
export function validateAtMost100Percent(value: IntOrString | undefined, path: FieldPath): FieldError[] {
  return (percentOf(value) ?? 0) > 100 ? [invalid(path, goIntOrStringValue(value), 'must not be greater than 100%')] : []
}
