import {
  BIG,
  BRANCH,
  headFault,
  LEAF,
  NODE_HEAD,
  nodeAt,
  nodeCount,
  nodesFault,
  OVERFLOW,
  overflowPages,
  PAGE_HEAD,
  pagesOfOverflow,
  TREE,
  type TreeHead,
  uint16,
  uint32,
  uint64,
} from './page.ts'
import type { PageFile } from './page-file.ts'
import { Part } from './part.ts'

/** A damaged part of a tree. */
export interface TreeFault {
  /** Undefined if the fault concerns the whole tree. */
  readonly page: number | undefined
  readonly why: string
  /** The last row before the part, and the first that may follow it; undefined at the ends of the tree. */
  readonly after: Buffer | undefined
  readonly before: Buffer | undefined
  /** Key of the row, if only its value is damaged. */
  readonly row: Buffer | undefined
}

/** Creates a fault of the whole tree. */
export const wholeFault = (why: string): TreeFault => ({ page: undefined, why, after: undefined, before: undefined, row: undefined })

/** Receives the rows and faults of one tree. */
export interface TreeVisitor {
  /** Called for each row, in key order. Both parts are reused after the call returns. */
  row(key: Part, value: Part): void
  fault(fault: TreeFault): void
}

/** Key order and kind of a tree. */
export interface TreeOptions {
  readonly compare: (a: Part, b: Part) => number
  /** Whether the values of the rows are tree headers. */
  readonly hasTrees: boolean
}

/** Maximum depth of a tree: LMDB's `CURSOR_STACK`. */
const DEEPEST = 32

/** Number of pages between yields. */
const STEP_PAGES = 8

/** Bounds of the keys below a page: `start` is inclusive, `end` exclusive. */
interface KeyBounds {
  readonly start: Part | undefined
  readonly end: Part | undefined
}

/**
 * Checks a tree. Each page is in the file, used once, of the right kind and not of a later transaction; its rows fill
 * it; their keys ascend within the bounds that the parent pages give; and the counts are those of the tree header. In a
 * tree that passes, LMDB finds each row and never reads outside of its file. Rows below a fault are skipped. Yields at
 * intervals.
 */
export function* checkTree(file: PageFile, head: TreeHead, visitor: TreeVisitor, options: TreeOptions): Generator<void, void> {
  if (head.root === undefined) {
    if (head.entries > 0 || head.depth > 0) visitor.fault(wholeFault('it has no root'))
    return
  }
  if (head.depth < 1 || head.depth > DEEPEST) {
    visitor.fault(wholeFault('its depth is impossible'))
    return
  }
  yield* new TreeCheck(file, head, visitor, options).run(head.root)
}

class TreeCheck {
  readonly #file: PageFile
  readonly #head: TreeHead
  readonly #visitor: TreeVisitor
  readonly #options: TreeOptions
  /** One page buffer per level. */
  readonly #pages: Buffer[]
  #last: Part | undefined
  readonly #key = new Part()
  readonly #previous = new Part()
  readonly #value = new Part()
  /** Number of pages since the last yield. */
  #step = 0
  #hasFault = false
  #branchPages = 0
  #leafPages = 0
  #overflowPages = 0
  #entries = 0

  constructor(file: PageFile, head: TreeHead, visitor: TreeVisitor, options: TreeOptions) {
    this.#file = file
    this.#head = head
    this.#visitor = visitor
    this.#options = options
    this.#pages = Array.from({ length: head.depth }, () => Buffer.alloc(file.pageSize))
  }

  *run(root: number): Generator<void, void> {
    yield* this.#below(root, 0, { start: undefined, end: undefined })
    const { entries, branchPages, leafPages, overflowPages: ofValues } = this.#head
    const fits =
      entries === this.#entries && branchPages === this.#branchPages && leafPages === this.#leafPages && ofValues === this.#overflowPages
    if (!fits && !this.#hasFault)
      this.#fault(undefined, `it has ${this.#entries} rows, and ${entries} by its head`, { start: undefined, end: undefined })
  }

  /**
   * Checks a page and everything below it. `level` is 0 at the root. Reports a fault and skips the subtree if the page
   * cannot be trusted. Yields after some leaf pages.
   */
  *#below(number: number, level: number, bounds: KeyBounds): Generator<void, void> {
    const isBranch = level + 1 < this.#head.depth
    const page = this.#pages[level]
    if (page === undefined) return
    const why = this.#pageFault(number, page, isBranch)
    if (why !== undefined) return this.#fault(number, why, bounds)
    if (!isBranch) {
      this.#leafPages++
      this.#rows(number, page, bounds)
      if (++this.#step >= STEP_PAGES) {
        this.#step = 0
        yield
      }
      return
    }
    this.#branchPages++
    const count = nodeCount(page)
    let start = bounds.start
    for (let i = 0; i < count; i++) {
      // The first key of a branch is not used.
      const end = i + 1 < count ? keyAt(page, nodeAt(page, i + 1)).copy() : bounds.end
      const isOrdered = end === undefined || start === undefined || this.#options.compare(start, end) < 0
      const isWithin = end === undefined || bounds.end === undefined || this.#options.compare(end, bounds.end) <= 0
      if (!isOrdered || !isWithin) return this.#fault(number, 'its keys are out of order', { start, end: bounds.end })
      const node = nodeAt(page, i)
      yield* this.#below(uint32(page, node) + uint16(page, node + 4) * 0x1_0000_0000, level + 1, { start, end })
      start = end
    }
  }

  /** Reads a page into its buffer, and returns why it cannot be used. A page may belong to one tree only. */
  #pageFault(number: number, page: Buffer, isBranch: boolean): string | undefined {
    const taken = this.#file.take(number, 1)
    if (taken !== undefined) return taken
    if (!this.#file.read(number, page)) return 'it cannot be read'
    // A branch has at least two children. A tree that becomes empty has no root.
    return headFault(page, number, isBranch ? BRANCH : LEAF, this.#file.transaction) ?? nodesFault(page, isBranch, isBranch ? 2 : 1)
  }

  /**
   * Checks the order of a leaf's rows, also against the leaf before it, and passes them to the visitor. The buffers of
   * a row are valid during the call only.
   */
  #rows(number: number, page: Buffer, bounds: KeyBounds): void {
    const { compare, hasTrees } = this.#options
    let previous = this.#last
    for (let i = 0, count = nodeCount(page); i < count; i++) {
      const node = nodeAt(page, i)
      const key = moveToKey(this.#key, page, node)
      const flags = uint16(page, node + 4)
      const isBehind =
        (previous === undefined || compare(key, previous) > 0) && (i > 0 || bounds.start === undefined || compare(key, bounds.start) >= 0)
      const isOrdered = key.length > 0 && isBehind && (i + 1 < count || bounds.end === undefined || compare(key, bounds.end) < 0)
      if (!isOrdered || (hasTrees ? flags !== TREE : flags & ~BIG)) {
        this.#last = previous?.copy()
        this.#fault(number, isOrdered ? 'a row is of another kind' : 'its keys are out of order', bounds)
        return
      }
      previous = this.#previous.moveTo(page, key.start, key.end)
      this.#entries++
      if ((flags & BIG) === 0) {
        this.#visitor.row(key, this.#value.moveTo(page, key.end, key.end + uint32(page, node)))
        continue
      }
      const value = this.#bigValue(page, node, key.end)
      if (typeof value !== 'string') this.#visitor.row(key, this.#value.moveTo(value, 0, value.length))
      else this.#fault(uint64(page, key.end), value, bounds, key)
    }
    // The page buffer is reused for the next leaf.
    this.#last = previous?.copy()
  }

  /** Returns a value in overflow pages, or why it cannot be read. */
  #bigValue(page: Buffer, node: number, data: number): Buffer | string {
    const size = uint32(page, node)
    const first = uint64(page, data)
    const count = overflowPages(size, this.#file.pageSize)
    if (uint64(page, data + 16) !== count) return 'its length does not match'
    const taken = this.#file.take(first, count)
    if (taken !== undefined) return taken
    const bytes = Buffer.allocUnsafe(PAGE_HEAD + size)
    if (!this.#file.read(first, bytes)) return 'it cannot be read'
    const why = headFault(bytes, first, OVERFLOW, this.#file.transaction)
    if (why !== undefined) return why
    if (pagesOfOverflow(bytes) !== count || uint64(page, data + 8) !== uint64(bytes, 8)) return 'its length does not match'
    this.#overflowPages += count
    this.#step += count
    return bytes.subarray(PAGE_HEAD)
  }

  #fault(page: number | undefined, why: string, { start, end }: KeyBounds, row?: Part): void {
    this.#hasFault = true
    this.#visitor.fault({ page, why, after: (this.#last ?? start)?.view(), before: end?.view(), row: row?.copy().view() })
  }
}

const moveToKey = (part: Part, page: Buffer, node: number): Part =>
  part.moveTo(page, node + NODE_HEAD, node + NODE_HEAD + uint16(page, node + 6))
const keyAt = (page: Buffer, node: number): Part => moveToKey(new Part(), page, node)
