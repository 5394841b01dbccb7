/** Adds an entry to a list. It replaces the last entry that is old, if there is one. */
export function withLatest<T>(entries: readonly T[], latest: T, isOld: (entry: T) => boolean): readonly T[] {
  const index = entries.findLastIndex(isOld)
  return index < 0 ? [...entries, latest] : entries.with(index, latest)
}
