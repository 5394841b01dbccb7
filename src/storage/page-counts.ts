import type { Key, Revision } from './revision.ts'

/** Number of paged lists whose counts are cached. */
const MOST_PAGES = 1024

/**
 * Caches the number of objects after a page of a list, for the request of the next page. Counting a long range anew for
 * each page would take longer than reading the page.
 */
export class PageCounts {
  readonly #counts = new Map<string, number>()

  /** Returns the number of objects with the prefix from `start` on, at the revision; undefined if it is not cached. */
  from(revision: Revision, prefix: Key, start: Key): number | undefined {
    return this.#counts.get(pageId(revision, prefix, start))
  }

  remember(revision: Revision, prefix: Key, start: Key, count: number): void {
    this.#counts.set(pageId(revision, prefix, start), count)
    if (this.#counts.size > MOST_PAGES) for (const oldest of this.#counts.keys()) return void this.#counts.delete(oldest)
  }

  /** Removes all counts. To be called when states may have changed. */
  forget(): void {
    this.#counts.clear()
  }
}

const pageId = (revision: Revision, prefix: Key, start: Key): string => `${revision} ${prefix} ${start}`
