import type { Match } from '../../lib/unified-diff.ts'

/** In texts of at least this many lines, frequent lines of the second text do not begin a match. */
const MANY_LINES = 200
/** Limit on line comparisons, which is reached in some milliseconds. */
const MOST_COMPARISONS = 1_000_000

/**
 * Finds the longest run of equal lines, then the longest ones before and after it, and so on. Undefined if there is too
 * much to compare. Source: algorithm of Ratcliff and Obershelp as in Python's difflib, which go-difflib ports.
 */
export function matchingLines(a: readonly string[], b: readonly string[]): Match[] | undefined {
  const places = placesOf(b)
  const found: Match[] = []
  const pending: Range[] = [{ aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length }]
  let comparisons = 0
  for (let range = pending.pop(); range !== undefined; range = pending.pop()) {
    const match = extended(longest(range), range)
    if (comparisons > MOST_COMPARISONS) return undefined
    if (match.size === 0) continue
    found.push(match)
    if (range.aFrom < match.a && range.bFrom < match.b) pending.push({ ...range, aTo: match.a, bTo: match.b })
    const [aNext, bNext] = [match.a + match.size, match.b + match.size]
    if (aNext < range.aTo && bNext < range.bTo) pending.push({ ...range, aFrom: aNext, bFrom: bNext })
  }
  return mergeMatches(found.sort((one, other) => one.a - other.a))

  /** Finds the longest run that begins with a line that is not frequent. Of several, the first in `a`, then in `b`. */
  function longest({ aFrom, aTo, bFrom, bTo }: Range): Match {
    let best: Match = { a: aFrom, b: bFrom, size: 0 }
    let lengths = new Map<number, number>()
    for (let i = aFrom; i < aTo; i++) {
      const next = new Map<number, number>()
      for (const j of places.get(a[i] ?? '') ?? []) {
        comparisons++
        if (j >= bTo) break
        if (j < bFrom) continue
        const size = (lengths.get(j - 1) ?? 0) + 1
        next.set(j, size)
        if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size }
      }
      lengths = next
      if (comparisons > MOST_COMPARISONS) break
    }
    return best
  }

  function extended(match: Match, { aFrom, aTo, bFrom, bTo }: Range): Match {
    let { a: start, b: other, size } = match
    while (start > aFrom && other > bFrom && a[start - 1] === b[other - 1]) {
      start--
      other--
      size++
    }
    while (start + size < aTo && other + size < bTo && a[start + size] === b[other + size]) size++
    return { a: start, b: other, size }
  }
}

/** Merges matches that are adjacent in both texts. */
function mergeMatches(matches: readonly Match[]): Match[] {
  const all: Match[] = []
  for (const match of matches) {
    const last = all.at(-1)
    if (last && last.a + last.size === match.a && last.b + last.size === match.b)
      all[all.length - 1] = { ...last, size: last.size + match.size }
    else all.push(match)
  }
  return all
}

/** A range of lines in each text, with exclusive ends. */
interface Range {
  readonly aFrom: number
  readonly aTo: number
  readonly bFrom: number
  readonly bTo: number
}

/** Indices of each line that can begin a match. */
function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>()
  for (const [i, line] of lines.entries()) {
    const known = places.get(line)
    if (known) known.push(i)
    else places.set(line, [i])
  }
  if (lines.length >= MANY_LINES) for (const [line, at] of places) if (at.length > Math.floor(lines.length / 100) + 1) places.delete(line)
  return places
}
