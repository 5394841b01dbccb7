import type { ValueRules } from './value-rules.ts'

/** Relative floating-point error that is ignored. */
const EPSILON = 1e-9

/**
 * Whether upstream treats a float as an integer: it is whole, or greater than 1 and very slightly above a whole number,
 * and not beyond 2^53. With `roundsFloats` it may also be slightly below one, and negative. Source:
 * swag.IsFloat64AJSONInteger of go-openapi.
 */
export function isJsonInteger(value: number, { roundsFloats }: Pick<ValueRules, 'roundsFloats'>): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  if (roundsFloats) {
    const nearest = Math.round(value)
    return value === nearest || Math.abs(value - nearest) < EPSILON * Math.abs(nearest)
  }
  const whole = Math.trunc(value)
  return value === whole || (value > 1 && (value - whole) / (value + whole) < EPSILON)
}
