/** Relative floating-point error that is ignored. */
const EPSILON = 1e-9

/**
 * Whether upstream treats a float as an integer: it is whole, or greater than 1 and very slightly above a whole number, and not beyond 2^53. Source:
 * swag.IsFloat64AJSONInteger of go-openapi.
 */
export function isJsonInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  const whole = Math.trunc(value)
  return value === whole || (value > 1 && (value - whole) / (value + whole) < EPSILON)
}
