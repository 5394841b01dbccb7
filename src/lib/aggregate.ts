/** Messages as apimachinery's Aggregate prints them, each once: one as it is, others as `[a, b]`. */
export function aggregate(messages: readonly string[]): string {
  const [first = '', ...more] = new Set(messages)
  return more.length === 0 ? first : `[${[first, ...more].join(', ')}]`
}
