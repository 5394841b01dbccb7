/**
 * Reports for each value whether an equal one, as a Set compares, precedes it. Takes linear time, because lists of
 * clients can be as long as a body.
 */
export function repeats(values: readonly unknown[]): boolean[] {
  const seen = new Set<unknown>()
  return values.map(value => {
    const again = seen.has(value)
    seen.add(value)
    return again
  })
}
