import type { Key, Revision } from './revision.ts'

/** Chains of pages that are remembered. */
const most = 1024

/** How many objects are left where a page ended, for the page that goes on there: counting them anew for each page would take longer than the page itself where there are many. */
export class PageCounts {
  readonly #counts = new Map<string, number>()

  /** Objects below the prefix from `start` on, at the revision; undefined where it is not known. */
  from(revision: Revision, prefix: Key, start: Key): number | undefined {
    return this.#counts.get(idOf(revision, prefix, start))
  }

  remember(revision: Revision, prefix: Key, start: Key, count: number): void {
    this.#counts.set(idOf(revision, prefix, start), count)
    if (this.#counts.size > most) for (const oldest of this.#counts.keys()) return void this.#counts.delete(oldest)
  }

  /** The states may have changed. */
  forget(): void {
    this.#counts.clear()
  }
}

const idOf = (revision: Revision, prefix: Key, start: Key): string => `${revision} ${prefix} ${start}`
