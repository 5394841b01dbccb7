import type { UsedSince } from './measured-node.ts'

/** Amounts of a node that were used up to its last scrape, by what is measured. */
type NodeSums = ReadonlyMap<string, UsedSince>

/** Names of the pages and nodes that exist. */
export interface ScrapedNames {
  readonly pages: ReadonlySet<string>
  readonly nodes: ReadonlySet<string>
}

/** Number of sums up to which it is not checked whether their pages and nodes exist. */
const FEW = 100

/**
 * Amounts that were used up to the last scrape, by page and node. Those of deleted pages and nodes are removed whenever
 * the number of sums has doubled.
 */
export class UsageSums {
  readonly #existing: () => Promise<ScrapedNames>
  readonly #sums = new Map<string, { readonly page: string; readonly node: string; readonly sums: NodeSums }>()
  #mostUnchecked = FEW
  #isChecking = false

  /** @param existing reads which pages and nodes exist */
  constructor(existing: () => Promise<ScrapedNames>) {
    this.#existing = existing
  }

  get size(): number {
    return this.#sums.size
  }

  /** Returns the sums of the last scrape. Undefined if there was none. */
  get(page: string, node: string): NodeSums | undefined {
    return this.#sums.get(scrapeKey(page, node))?.sums
  }

  /** Stores the sums of a scrape. Rejects if it cannot be read which pages and nodes exist. */
  async set(page: string, node: string, sums: NodeSums): Promise<void> {
    this.#sums.set(scrapeKey(page, node), { page, node, sums })
    if (this.#sums.size <= this.#mostUnchecked || this.#isChecking) return
    this.#isChecking = true
    try {
      const { pages, nodes } = await this.#existing()
      for (const [key, { page, node }] of this.#sums) if (!pages.has(page) || !nodes.has(node)) this.#sums.delete(key)
      this.#mostUnchecked = Math.max(FEW, 2 * this.#sums.size)
    } finally {
      this.#isChecking = false
    }
  }
}

const scrapeKey = (page: string, node: string): string => `${page}/${node}`
