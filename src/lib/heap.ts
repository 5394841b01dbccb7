/** A binary heap: adding an item and taking the first one take time logarithmic in their number. */
export class Heap<T> {
  readonly #items: T[] = []
  readonly #isBefore: (a: T, b: T) => boolean

  /** @param isBefore whether `a` is taken before `b` */
  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#items.length
  }

  /** Returns the first item without taking it. */
  peek(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    const items = this.#items
    let at = items.length
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = items[above] as T
      if (!this.#isBefore(item, parent)) break
      items[at] = parent
      at = above
    }
    items[at] = item
  }

  /** Takes the first item. Undefined if the heap is empty. */
  pop(): T | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (items.length === 0 || last === undefined) return first
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= items.length) break
      if (below + 1 < items.length && this.#isBefore(items[below + 1] as T, items[below] as T)) below++
      if (!this.#isBefore(items[below] as T, last)) break
      items[at] = items[below] as T
      at = below
    }
    items[at] = last
    return first
  }
}
