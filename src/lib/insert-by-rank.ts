/**
 * Inserts an item into a list sorted by ascending rank, after those of the same rank, in place. Searches from the end:
 * constant time for an item that belongs at the end, linear for one that belongs at the front. For the members of one
 * object, which are few and mostly in order.
 */
export function insertByRank<T extends { readonly rank: number }>(sorted: T[], item: T): void {
  let place = sorted.length
  while (place > 0) {
    const before = sorted[place - 1]
    if (before === undefined || before.rank <= item.rank) break
    sorted[place--] = before
  }
  sorted[place] = item
}
