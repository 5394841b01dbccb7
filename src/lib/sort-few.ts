/** Number of items above which the built-in sort is faster. */
const FEW = 16

/**
 * Sorts in place and stably, like `sort`. Uses insertion sort for few items, such as the members of one object: the
 * built-in sort copies them to two lists, which costs more than the comparisons.
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
