import type { FieldError } from '../../meta/field-error.ts'
import { invalid } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isValidPercent } from '../../meta/names.ts'
import type { IntOrString } from '../../meta/object.ts'
import { validateNonNegative } from '../../meta/object-meta-validation.ts'
import { goIntOrStringValue } from './go-syntax.ts'

/** A whole number of zero or more, or a percentage. Absent is 0. */
export function validateIntOrPercent(value: IntOrString | undefined, path: FieldPath): FieldError[] {
  if (typeof value === 'string') return isValidPercent(value).map(text => invalid(path, goIntOrStringValue(value), text))
  return validateNonNegative(value, path)
}

/** The number of a valid percentage. */
function percentOf(value: IntOrString | undefined): number | undefined {
  return typeof value === 'string' && isValidPercent(value).length === 0 ? Number(value.slice(0, -1)) : undefined
}

/** The number itself, or that of the percentage; text that is neither counts as the number it spells, or 0. */
export function intOrPercentValue(value: IntOrString | undefined): number {
  const percent = percentOf(value)
  if (percent !== undefined) return percent
  if (typeof value === 'string') return /^[+-]?\d+$/.test(value) ? Number(value) : 0
  return value ?? 0
}

/** A number without a percent sign is not bounded here. */
export function validateAtMost100Percent(value: IntOrString | undefined, path: FieldPath): FieldError[] {
  return (percentOf(value) ?? 0) > 100 ? [invalid(path, goIntOrStringValue(value), 'must not be greater than 100%')] : []
}
