import { checkTree, type TreeFault, wholeFault } from './check-tree.ts'
import { type TreeHead, uint64 } from './page.ts'
import type { PageFile } from './page-file.ts'
import type { Part } from './part.ts'

/** Orders keys by transaction number. */
const byNumber = (a: Part, b: Part): number =>
  a.length === 8 && b.length === 8 ? uint64(a.bytes, a.start) - uint64(b.bytes, b.start) : a.length - b.length

/**
 * Checks the list of pages that LMDB may reuse. To be called after the other trees, because none of their pages may be
 * in it. A row is a list of 8-byte words: their count, then page numbers. A negative count precedes the first of
 * several consecutive pages, and 0 is unused room (`midl.c` in the package lmdb).
 */
export function* checkFreePages(file: PageFile, head: TreeHead, fault: (fault: TreeFault) => void): Generator<void, void> {
  const row = (key: Part, value: Part): void => {
    const why =
      key.length !== 8 || uint64(key.bytes, key.start) > file.transaction ? 'it is of a later transaction' : listFault(file, value.view())
    if (why !== undefined) fault(wholeFault(why))
  }
  yield* checkTree(file, head, { row, fault }, { compare: byNumber, hasTrees: false })
}

/** Claims the pages of a list, and returns why it is invalid. Pages that are claimed twice are in use. */
function listFault(file: PageFile, list: Buffer): string | undefined {
  const end = list.length < 8 ? 0 : 8 * (uint64(list, 0) + 1)
  // LMDB reserves more room than it fills.
  if (end < 8 || end > list.length) return 'its length is invalid'
  let count = 1
  for (let offset = 8; offset < end; offset += 8) {
    const entry = Number(list.readBigInt64LE(offset))
    if (entry < 0) {
      if (count !== 1) return 'it has a count without a page'
      count = -entry
    } else if (entry > 0) {
      const why = file.take(entry, count)
      if (why !== undefined) return `of page ${entry}, ${why}`
      count = 1
    } else if (count !== 1) return 'it has a count without a page'
  }
  return undefined
}
