/** Longer lists are searched by a set: one audience is what nearly all requests are for. */
const SHORT = 16

/** Those audiences of a token, or of a review, that are among others, in their order. Both lists may be as long as a body. */
export function commonAudiences(audiences: readonly string[], others: readonly string[]): string[] {
  if (others.length <= SHORT) return audiences.filter(audience => others.includes(audience))
  const known = new Set(others)
  return audiences.filter(audience => known.has(audience))
}
