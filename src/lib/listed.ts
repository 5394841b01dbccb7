/** Several messages as Go's aggregates print them: one as it is, others as `[a, b]`. */
export const listed = (texts: readonly string[]): string => {
  const [first = '', ...more] = texts
  return more.length === 0 ? first : `[${texts.join(', ')}]`
}
