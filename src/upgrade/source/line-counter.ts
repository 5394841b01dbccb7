/**
 * Returns a function from offsets to line numbers, from 1. Fast for offsets in ascending order. A negative offset gives
 * the line of the previous call.
 */
export function lineCounter(source: string): (position: number) => number {
  const endAfter = (position: number): number => {
    const found = source.indexOf('\n', position)
    return found < 0 ? source.length : found
  }
  let start = 0
  // Remembered, because a text may be one long line, whose end would be searched for at each node.
  let end = endAfter(0)
  let line = 1
  return position => {
    if (position < 0) return line
    while (position < start) {
      end = start - 1
      start = end === 0 ? 0 : source.lastIndexOf('\n', end - 1) + 1
      line--
    }
    while (end < position) {
      start = end + 1
      end = endAfter(start)
      line++
    }
    return line
  }
}
