import { compareUnits } from '../../lib/compare-text.ts'

/** An object of the import, with its original resource version. */
export interface Claim {
  readonly key: string
  /** 0 if the object has none. */
  readonly revision: number
}

/** Objects with their revisions, in ascending order, and the newest revision of the store. */
export interface Numbered<T extends Claim> {
  readonly items: readonly { readonly item: T; readonly revision: number }[]
  readonly newest: number
  /** Number of objects whose revision was used by another object. */
  readonly moved: number
  /** Number of objects without a revision. */
  readonly missing: number
}

/** First revision of an object. Revision 1 is that of an empty store. */
const FIRST = 2

/**
 * Assigns a unique revision to each object. An object keeps its own revision, unless an object with a lower key has the
 * same one; it then gets a revision above `newest` and all others. Duplicates occur because objects come from separate
 * etcds (events), from several clusters, or from manifests without a revision. The result does not depend on the order
 * of the objects.
 */
export function numberRevisions<T extends Claim>(claims: readonly T[], newest: number): Numbered<T> {
  const ordered = [...claims].sort(
    (a, b) => (a.revision || Number.POSITIVE_INFINITY) - (b.revision || Number.POSITIVE_INFINITY) || compareUnits(a.key, b.key),
  )
  let [last, moved, missing] = [Math.max(newest, FIRST - 1), 0, 0]
  for (const { revision } of claims) last = Math.max(last, revision)
  const items: { item: T; revision: number }[] = []
  const late: T[] = []
  let before = 0
  for (const item of ordered) {
    if (item.revision >= FIRST && item.revision !== before) items.push({ item, revision: item.revision })
    else late.push(item)
    if (item.revision < FIRST) missing++
    else if (item.revision === before) moved++
    before = item.revision
  }
  for (const item of late) items.push({ item, revision: ++last })
  return { items, newest: last, moved, missing }
}
