/** Longer lists are searched with a Set. Nearly all requests have one audience. */
const SHORT = 16

/**
 * Intersects two lists of audiences, in the order of the first. Linear, because both may be as long as a request body.
 */
export function commonAudiences(audiences: readonly string[], others: readonly string[]): string[] {
  if (others.length <= SHORT) return audiences.filter(audience => others.includes(audience))
  const known = new Set(others)
  return audiences.filter(audience => known.has(audience))
}
