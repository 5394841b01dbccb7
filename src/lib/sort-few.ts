/** Beyond so many, the built-in sort takes less time. */
const FEW = 16

/**
 * Sorts in place and stably, as `sort` does: by insertion where there are few, as the members of one object are. The built-in sort copies even those into two lists, which costs more than the
 * comparisons.
 */
export function sortFew<T>(items: T[], compare: (a: T, b: T) => number): T[] {
  if (items.length > FEW) return items.sort(compare)
  for (let i = 1; i < items.length; i++) {
    const item = items[i]!
    let place = i
    for (; place > 0; place--) {
      const before = items[place - 1]!
      if (compare(before, item) <= 0) break
      items[place] = before
    }
    items[place] = item
  }
  return items
}
