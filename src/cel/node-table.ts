/** Number of values in a page: a power of two. */
const PAGE_BITS = 6
const PAGE = 1 << PAGE_BITS

/** Values by the numbers of nodes, which are dense. It grows page by page. A Map of as many nodes is copied as a whole whenever it grows, which takes too long for a step. */
export class NodeTable<T extends NonNullable<unknown>> {
  readonly #pages: ((T | undefined)[] | undefined)[] = []

  /** Greater than the numbers of all nodes that have a value. */
  get end(): number {
    return this.#pages.length << PAGE_BITS
  }

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

  delete(id: number): void {
    const page = this.#pages[id >> PAGE_BITS]
    if (page !== undefined) page[id & (PAGE - 1)] = undefined
  }

  /** Whether the predicate holds for the value of some node. */
  some(is: (value: T) => boolean): boolean {
    return this.#pages.some(page => page?.some(value => value !== undefined && is(value)))
  }
}

/** A table that is complete. */
export type ReadonlyNodeTable<T extends NonNullable<unknown>> = Pick<NodeTable<T>, 'get' | 'has' | 'some'>
