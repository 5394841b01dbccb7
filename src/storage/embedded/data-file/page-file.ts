import { readSync } from 'node:fs'

/** Pages that are read at a time. */
const WINDOW_PAGES = 16

/** The pages of one snapshot of the file, each of which belongs to one place. */
export class PageFile {
  readonly pageSize: number
  readonly transaction: number
  readonly lastPage: number
  readonly #descriptor: number
  /** One byte a page: 1 for a page in use, or a head. */
  readonly #used: Uint8Array
  readonly #window: Buffer
  /** Pages in the window: from the first, inclusive, to the end, exclusive. */
  #windowStart = 0
  #windowEnd = 0
  #lastRead = -1

  constructor(descriptor: number, { pageSize, transaction, lastPage }: { readonly pageSize: number; readonly transaction: number; readonly lastPage: number }) {
    this.#descriptor = descriptor
    this.pageSize = pageSize
    this.transaction = transaction
    this.lastPage = lastPage
    this.#window = Buffer.alloc(WINDOW_PAGES * pageSize)
    this.#used = new Uint8Array(lastPage + 1).fill(1, 0, 2)
  }

  /** Takes pages for one place. Undefined if all are in the file and free; otherwise why not. */
  take(first: number, count: number): string | undefined {
    if (count < 1 || first + count - 1 > this.lastPage) return 'it is not in the file'
    for (let page = first; page < first + count; page++) if (this.#used[page] !== 0) return 'it is used twice'
    this.#used.fill(1, first, first + count)
    return undefined
  }

  /** Reads like `readFully`, from the start of a page. LMDB has put most pages of a tree in sequence: a page behind the last one that was read comes with those that follow. */
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

/** Fills a buffer from a position on. False if the file has not as many bytes, or they cannot be read. */
export function readFully(descriptor: number, into: Buffer, position: number): boolean {
  try {
    return readSync(descriptor, into, 0, into.length, position) === into.length
  } catch {
    // A bad sector: EIO.
    return false
  }
}
