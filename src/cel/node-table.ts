/** Log2 of the values per page. */
const PAGE_BITS = 6
const PAGE = 1 << PAGE_BITS

/**
 * Map of values by node number, which are dense. It grows by one page at a time. A Map is rehashed as a whole when it
 * grows, which takes too long for one step.
 */
export class NodeTable<T extends NonNullable<unknown>> {
  readonly #pages: ((T | undefined)[] | undefined)[] = []

  /** Upper bound, exclusive, of the node numbers that have a value. */
  get end(): number {
    return this.#pages.length << PAGE_BITS
  }

  /** Returns the value of a node. Undefined if it has none. */
  get(id: number): T | undefined {
    return this.#pages[id >> PAGE_BITS]?.[id & (PAGE - 1)]
  }

  has(id: number): boolean {
    return this.get(id) !== undefined
  }

  set(id: number, value: T): void {
    let page = this.#pages[id >> PAGE_BITS]
    if (page === undefined) {
      page = new Array<T | undefined>(PAGE).fill(undefined)
      this.#pages[id >> PAGE_BITS] = page
    }
    page[id & (PAGE - 1)] = value
  }

  /** Removes the value of a node. `end` stays. */
  delete(id: number): void {
    const page = this.#pages[id >> PAGE_BITS]
    if (page !== undefined) page[id & (PAGE - 1)] = undefined
  }

  /** Reports whether the predicate holds for any value. */
  some(is: (value: T) => boolean): boolean {
    return this.#pages.some(page => page?.some(value => value !== undefined && is(value)))
  }
}

/** A completed table. */
export type ReadonlyNodeTable<T extends NonNullable<unknown>> = Pick<NodeTable<T>, 'get' | 'has' | 'some'>
