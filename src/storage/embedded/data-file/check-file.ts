import { checkTree, type TreeFault } from './check-tree.ts'
import { checkFreePages } from './free-pages.ts'
import { META_BYTES, type MetaPage, metaPage } from './meta-page.ts'
import { TREE_HEAD, type TreeHead, treeHead } from './page.ts'
import { PageFile, readFully } from './page-file.ts'
import { compareParts, type Part } from './part.ts'

/** Receives the rows and faults that a check of the file finds. */
export interface FileVisitor {
  /** Called for each row of a table, in key order. Both parts are reused after the call returns. */
  row(table: string, key: Part, value: Part): void
  /** Called for a damaged part of a table. `table` is undefined for the list of tables. */
  fault(table: string | undefined, fault: TreeFault): void
  /** Called if the meta pages are invalid. Nothing else is read then. */
  headFault(why: string): void
  /** Called if the size of the file, or its list of free pages, is invalid. The tables are read nevertheless. */
  spaceFault(why: string): void
}

/** Data version of LMDB 1.0. */
const VERSION = 2
/** Valid page sizes, in bytes. */
const SMALLEST = 512
const LARGEST = 0x8000

/** Checks the newest snapshot of a file of `size` bytes, open as `descriptor`. Yields at intervals. */
export function* checkFile(descriptor: number, size: number, visitor: FileVisitor): Generator<void, void> {
  const meta = newestMeta(descriptor)
  if (typeof meta === 'string') return visitor.headFault(meta)
  const expected = (meta.lastPage + 1) * meta.pageSize
  if (size < expected) visitor.spaceFault(`it is cut short: ${size} bytes of ${expected}`)
  const file = new PageFile(descriptor, meta)
  const tables: [string, TreeHead][] = []
  const main = {
    row: (key: Part, value: Part): void => {
      // LMDB ends names with a NUL byte.
      if (value.length === TREE_HEAD)
        tables.push([key.bytes.toString('latin1', key.start, key.end - 1), treeHead(value.bytes, value.start)])
      else visitor.headFault('a table has no tree header')
    },
    fault: (fault: TreeFault): void => visitor.fault(undefined, fault),
  }
  yield* checkTree(file, meta.main, main, { compare: compareParts, hasTrees: true })
  for (const [table, head] of tables) {
    if (head.flags !== 0) visitor.headFault(`the table ${JSON.stringify(table)} is of another kind`)
    const rows = {
      row: (key: Part, value: Part) => visitor.row(table, key, value),
      fault: (fault: TreeFault) => visitor.fault(table, fault),
    }
    yield* checkTree(file, head, rows, { compare: compareParts, hasTrees: false })
  }
  yield* checkFreePages(file, meta.free, ({ page, why }) =>
    visitor.spaceFault(`${page === undefined ? '' : `page ${page}: `}the list of free pages: ${why}`),
  )
}

/** Returns the newer meta page, or why neither can be trusted. */
function newestMeta(descriptor: number): MetaPage | string {
  const read = (offset: number): MetaPage | undefined => {
    const bytes = Buffer.alloc(META_BYTES)
    return readFully(descriptor, bytes, offset) ? metaPage(bytes) : undefined
  }
  const first = read(0)
  const pageSize = first?.pageSize ?? 0
  if (pageSize < SMALLEST || pageSize > LARGEST || (pageSize & (pageSize - 1)) !== 0) return 'the first meta page is damaged'
  const second = read(pageSize)
  if (first === undefined || second === undefined || second.pageSize !== pageSize) return 'the second meta page is damaged'
  const newest = second.transaction > first.transaction ? second : first
  // Each commit writes the older meta page, so the transaction numbers of the two are consecutive. Otherwise one of
  // them was not written by a commit.
  const isNew = first.transaction === 0 && second.transaction === 0
  if (!isNew && (Math.abs(first.transaction - second.transaction) !== 1 || newest.transaction % 2 !== (newest === second ? 1 : 0)))
    return 'the meta pages are not of consecutive transactions'
  if ([first, second].some(({ version }) => (version & 0xffff) !== VERSION)) return 'a meta page has an unknown version'
  if ([first, second].some(({ free, main }) => (free.flags & 0xff) !== 8 || main.flags !== 0)) return 'a meta page has unknown flags'
  if (newest.lastPage < 1 || newest.mapSize < (newest.lastPage + 1) * pageSize || newest.mapSize > 2 ** 47)
    return 'the size in the meta page is invalid'
  return newest
}
