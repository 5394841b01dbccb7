/**
 * Lengths of names for which suggestions are made. A single letter matches too much; longer names are not misspelt
 * ones.
 */
const SHORTEST = 2
const LONGEST = 64
/** One mistake is allowed per this many characters of the name, and at least MINIMUM. */
const CHARACTERS_A_SLIP = 4
const MINIMUM = 1

/**
 * Returns the name closest to a mistyped one, counting missing, added, replaced and swapped characters; undefined if
 * none is close.
 */
export function nearest(mistyped: string, names: Iterable<string>): string | undefined {
  if (mistyped.length < SHORTEST || mistyped.length > LONGEST) return undefined
  let best: string | undefined
  let least = Math.max(MINIMUM, Math.floor(mistyped.length / CHARACTERS_A_SLIP)) + 1
  for (const name of names) {
    const slips = Math.abs(name.length - mistyped.length) < least ? distance(mistyped, name) : least
    if (slips < least) [best, least] = [name, slips]
  }
  return best
}

/** Returns `; did you mean --NAME?` to append to a message, or an empty text. */
export function didYouMean(mistyped: string, names: Iterable<string>, dashes = ''): string {
  const name = nearest(mistyped, names)
  return name === undefined ? '' : `; did you mean ${dashes}${name}?`
}

/** Optimal string alignment distance. */
function distance(from: string, to: string): number {
  let before: number[] = []
  let above = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const at = (cells: readonly number[], column: number): number => cells[column] ?? 0
      row.push(
        Math.min(
          at(above, j) + 1,
          at(row, j - 1) + 1,
          at(above, j - 1) + (isSame ? 0 : 1),
          isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    ;[before, above] = [above, row]
  }
  return above[to.length] ?? 0
}
