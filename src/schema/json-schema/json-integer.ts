/** Relative error of floating point that is overlooked. */
const EPSILON = 1e-9

/**
 * Whether upstream takes a float for an integer: it is whole, or but little above a whole number, and no larger than 2^53. Of what lies below zero or between zero and one only what
 * is whole.
 * Source: swag.IsFloat64AJSONInteger of go-openapi.
 */
export function isJsonInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  const whole = Math.trunc(value)
  return value === whole || (value > 1 && (value - whole) / (value + whole) < EPSILON)
}
