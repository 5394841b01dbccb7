import { readSync } from 'node:fs'

/** Number of pages that are read ahead. */
const WINDOW_PAGES = 16

/** The pages of one snapshot of the file. Each may be used once. */
export class PageFile {
  readonly pageSize: number
  readonly transaction: number
  readonly lastPage: number
  readonly #descriptor: number
  /** One byte per page: 1 if it is used, or a meta page. */
  readonly #used: Uint8Array
  readonly #window: Buffer
  /** Pages in the window: from `#windowStart`, inclusive, to `#windowEnd`, exclusive. */
  #windowStart = 0
  #windowEnd = 0
  #lastRead = -1

  constructor(
    descriptor: number,
    { pageSize, transaction, lastPage }: { readonly pageSize: number; readonly transaction: number; readonly lastPage: number },
  ) {
    this.#descriptor = descriptor
    this.pageSize = pageSize
    this.transaction = transaction
    this.lastPage = lastPage
    this.#window = Buffer.alloc(WINDOW_PAGES * pageSize)
    this.#used = new Uint8Array(lastPage + 1).fill(1, 0, 2)
  }

  /** Marks pages as used. Undefined if all of them are in the file and were unused; otherwise why not. */
  take(first: number, count: number): string | undefined {
    if (count < 1 || first + count - 1 > this.lastPage) return 'it is not in the file'
    for (let page = first; page < first + count; page++) if (this.#used[page] !== 0) return 'it is used twice'
    this.#used.fill(1, first, first + count)
    return undefined
  }

  /**
   * Reads like `readFully`, from the start of a page. LMDB writes most pages of a tree in sequence, so a page that
   * follows the last one read is read together with its successors.
   */
  read(page: number, into: Buffer): boolean {
    const { pageSize } = this
    if (page < this.#windowStart || page >= this.#windowEnd) {
      const isNext = page === this.#lastRead + 1
      this.#lastRead = page
      const pages = Math.min(WINDOW_PAGES, this.lastPage + 1 - page)
      if (!isNext || into.length !== pageSize || !readFully(this.#descriptor, this.#window.subarray(0, pages * pageSize), page * pageSize))
        return readFully(this.#descriptor, into, page * pageSize)
      this.#windowStart = page
      this.#windowEnd = page + pages
    }
    if (into.length !== pageSize) return readFully(this.#descriptor, into, page * pageSize)
    this.#lastRead = page
    const start = (page - this.#windowStart) * pageSize
    this.#window.copy(into, 0, start, start + pageSize)
    return true
  }
}

/** Fills a buffer from a position in the file. False if the file has too few bytes, or they cannot be read. */
export function readFully(descriptor: number, into: Buffer, position: number): boolean {
  try {
    return readSync(descriptor, into, 0, into.length, position) === into.length
  } catch {
    // EIO: a bad sector.
    return false
  }
}
