/** A line of a diff. */
export interface DiffLine {
  readonly sign: ' ' | '+' | '-'
  readonly text: string
}

/** Limit for the number of differences. Beyond it, the differing range is shown as replaced. */
const MOST_DIFFERENCES = 1_000

/**
 * Compares texts line by line with the fewest additions and removals (E. Myers, An O(ND) Difference Algorithm, 1986),
 * up to MOST_DIFFERENCES.
 */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let [endBefore, endAfter] = [before.length, after.length]
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore--
    endAfter--
  }
  const same = (lines: readonly string[]): DiffLine[] => lines.map(text => ({ sign: ' ', text }))
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, endBefore), after.slice(start, endAfter)),
    ...same(before.slice(endBefore)),
  ]
}

/** Compares ranges that differ at both ends. Memory is proportional to the square of the number of differences. */
function middle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const replaced = (): DiffLine[] => [
    ...before.map(text => ({ sign: '-' as const, text })),
    ...after.map(text => ({ sign: '+' as const, text })),
  ]
  if (before.length === 0 || after.length === 0) return replaced()
  const rounds: Int32Array[] = []
  const offset = MOST_DIFFERENCES + 1
  const furthest = new Int32Array(2 * offset + 1)
  for (let d = 0; d <= MOST_DIFFERENCES; d++) {
    rounds.push(furthest.slice(offset - d - 1, offset + d + 2))
    for (let k = -d; k <= d; k += 2) {
      const isDown = k === -d || (k !== d && (furthest[offset + k - 1] ?? 0) < (furthest[offset + k + 1] ?? 0))
      let x = isDown ? (furthest[offset + k + 1] ?? 0) : (furthest[offset + k - 1] ?? 0) + 1
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x++
      furthest[offset + k] = x
      if (x >= before.length && x - k >= after.length) return wayBack(before, after, rounds)
    }
  }
  return replaced()
}

/**
 * Reconstructs the edits from the end.
 * @param rounds progress of each diagonal before each round, from diagonal -d-1 on.
 */
function wayBack(before: readonly string[], after: readonly string[], rounds: readonly Int32Array[]): DiffLine[] {
  const lines: DiffLine[] = []
  let [x, y] = [before.length, after.length]
  for (let d = rounds.length - 1; d >= 0; d--) {
    const reached = (k: number): number => rounds[d]?.[k + d + 1] ?? 0
    const k = x - y
    const isDown = k === -d || (k !== d && reached(k - 1) < reached(k + 1))
    const fromK = isDown ? k + 1 : k - 1
    const fromX = d === 0 ? 0 : reached(fromK)
    const fromY = d === 0 ? 0 : fromX - fromK
    while (x > fromX && y > fromY && before[x - 1] === after[y - 1]) {
      x--
      y--
      lines.push({ sign: ' ', text: before[x] ?? '' })
    }
    if (d === 0) break
    if (isDown) lines.push({ sign: '+', text: after[--y] ?? '' })
    else lines.push({ sign: '-', text: before[--x] ?? '' })
  }
  return lines.reverse()
}

/** Keeps the lines within `context` lines of a difference, and replaces the others by their number. */
export function nearDifferences(lines: readonly DiffLine[], context: number): readonly (DiffLine | { readonly skipped: number })[] {
  const near = new Uint8Array(lines.length)
  for (const [i, { sign }] of lines.entries()) if (sign !== ' ') near.fill(1, Math.max(0, i - context), i + context + 1)
  const shown: (DiffLine | { skipped: number })[] = []
  for (const [i, line] of lines.entries()) {
    const last = shown.at(-1)
    if (near[i] === 1) shown.push(line)
    else if (last !== undefined && 'skipped' in last) last.skipped++
    else shown.push({ skipped: 1 })
  }
  return shown
}
