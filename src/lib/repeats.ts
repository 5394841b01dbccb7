/** For each value of a list, whether an equal one (as a Set compares) stands before it. In linear time: lists of clients are as long as a body may be. */
export function repeats(values: readonly unknown[]): boolean[] {
  const seen = new Set<unknown>()
  return values.map(value => {
    const again = seen.has(value)
    seen.add(value)
    return again
  })
}
