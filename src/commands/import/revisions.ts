/** An object of the import by its key, with the resource version that it says. */
export interface Claim {
  readonly key: string
  /** 0 where it says none. */
  readonly revision: number
}

/** The revisions of objects in the order of their claims, and the newest that the store has then. */
export interface Numbered<T extends Claim> {
  readonly items: readonly { readonly item: T; readonly revision: number }[]
  readonly newest: number
  /** Objects that did not keep theirs, as another one has it. */
  readonly moved: number
  /** Objects that said none. */
  readonly missing: number
}

/** Revisions begin behind that of a new store. */
const FIRST = 2

/**
 * Gives each object a revision of its own: the one that it says, or, where another one before it in the order of keys says the same, one behind `newest` and all others. Objects come from etcds of their own (events), from several
 * clusters, or from manifests without any. The same objects get the same revisions, in whichever order they come.
 */
export function numberRevisions<T extends Claim>(claims: readonly T[], newest: number): Numbered<T> {
  const ordered = [...claims].sort((a, b) => (a.revision || Number.POSITIVE_INFINITY) - (b.revision || Number.POSITIVE_INFINITY) || compare(a.key, b.key))
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

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
