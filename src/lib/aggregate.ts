/**
 * Formats messages like apimachinery's Aggregate, without repetitions: a single message as it is, several as `[a, b]`.
 */
export function aggregate(messages: readonly string[]): string {
  const [first = '', ...more] = new Set(messages)
  return more.length === 0 ? first : `[${[first, ...more].join(', ')}]`
}
