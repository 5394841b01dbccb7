/** An interval of indexes that includes both ends. */
export interface Interval {
  readonly first: number
  readonly last: number
}

/** Set of indexes: intervals in ascending order. */
export type Indexes = readonly Interval[]

/** Parses a number as Go's strconv.Atoi does. Undefined if the text is not a number. */
const numberIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\+?[0-9]{1,15}$/.test(text) ? Number(text) : undefined

/** Parses `1,3-5`. Parts that cannot be parsed are skipped, indexes from `completions` on are left out. */
export function parseIndexes(text: string, completions: number): Indexes {
  const intervals: Interval[] = []
  for (const part of text === '' ? [] : text.split(',')) {
    const [from, to] = part.split('-', 2)
    const first = numberIn(from)
    if (first === undefined) continue
    if (first >= completions) break
    const end = to === undefined ? first : numberIn(to)
    if (end === undefined) continue
    const last = Math.min(end, completions - 1)
    const previous = intervals.at(-1)
    if (previous?.last === first - 1) intervals[intervals.length - 1] = { first: previous.first, last }
    else intervals.push({ first, last })
  }
  return intervals
}

/**
 * Formats a set as `status.completedIndexes` has it: two neighbours are separated by a comma, three or more are an
 * interval.
 */
export const formatIndexes = (indexes: Indexes): string =>
  indexes
    .map(({ first, last }) => {
      if (last <= first) return `${first}`
      return `${first}${last === first + 1 ? ',' : '-'}${last}`
    })
    .join(',')

/** Returns the intervals of single indexes, which may have any order. */
export const indexesOf = (numbers: Iterable<number>): Indexes =>
  [...new Set(numbers)].toSorted((a, b) => a - b).map(index => ({ first: index, last: index }))

/** Union of two sets. */
export function mergeIndexes(a: Indexes, b: Indexes): Indexes {
  const merged: Interval[] = []
  const add = (interval: Interval): void => {
    const previous = merged.at(-1)
    if (!previous || interval.first > previous.last + 1) merged.push(interval)
    else if (previous.last < interval.last) merged[merged.length - 1] = { first: previous.first, last: interval.last }
  }
  let [i, j] = [0, 0]
  for (;;) {
    const [left, right] = [a[i], b[j]]
    if (left && (!right || left.first < right.first)) {
      add(left)
      i++
    } else if (right) {
      add(right)
      j++
    } else return merged
  }
}

export const countIndexes = (indexes: Indexes): number => indexes.reduce((total, { first, last }) => total + last - first + 1, 0)

/** Reports whether the set has an index, in logarithmic time. */
export function hasIndex(indexes: Indexes, index: number): boolean {
  let [low, high] = [0, indexes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((indexes[middle]?.last ?? 0) >= index) high = middle
    else low = middle + 1
  }
  const interval = indexes[high]
  return interval !== undefined && interval.first <= index
}

/** Returns up to `count` indexes below `completions` that the set does not have, the smallest first. */
export function missingIndexes(indexes: Indexes, count: number, completions: number): number[] {
  const missing: number[] = []
  let candidate = 0
  for (const { first, last } of [...indexes, { first: completions, last: completions }]) {
    for (; candidate < Math.min(first, completions) && missing.length < count; candidate++) missing.push(candidate)
    candidate = Math.max(candidate, last + 1)
  }
  return missing
}
