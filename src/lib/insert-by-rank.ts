/**
 * Inserts an item into a list that is sorted by ascending rank, behind those of the same rank, in place. Searches from the end: linear for an item that belongs at the front, constant
 * for one that belongs at the end. For the members of one object, which are few and mostly in order.
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
