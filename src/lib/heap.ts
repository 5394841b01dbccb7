/** An entry of a heap. Its place in the heap is kept with it, so that it can be removed. */
export interface HeapEntry {
  /** Index in the heap. -1 if the entry is not in it. Written by the heap. */
  index: number
}

/**
 * A binary heap: adding and removing entries takes time logarithmic in their number. The order of an entry must not
 * change while it is in the heap.
 */
export class Heap<E extends HeapEntry> {
  readonly #entries: E[] = []
  readonly #isBefore: (a: E, b: E) => boolean

  /** @param isBefore whether `a` comes before `b` */
  constructor(isBefore: (a: E, b: E) => boolean) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#entries.length
  }

  /** First entry. Undefined if there is none. */
  get first(): E | undefined {
    return this.#entries[0]
  }

  add(entry: E): void {
    this.#put(entry, this.#entries.length)
    this.#raise(entry)
  }

  /** Removes an entry, if it is in the heap. */
  remove(entry: E): void {
    const { index } = entry
    if (index < 0) return
    const last = this.#entries.pop()
    entry.index = -1
    if (last === undefined || last === entry) return
    this.#put(last, index)
    this.#raise(last)
    this.#lower(last)
  }

  #put(entry: E, index: number): void {
    this.#entries[index] = entry
    entry.index = index
  }

  #raise(entry: E): void {
    while (entry.index > 0) {
      const { index } = entry
      const above = this.#entries[(index - 1) >> 1]
      if (above === undefined || !this.#isBefore(entry, above)) return
      const { index: aboveIndex } = above
      this.#put(above, index)
      this.#put(entry, aboveIndex)
    }
  }

  #lower(entry: E): void {
    for (;;) {
      const { index } = entry
      const [left, right] = [this.#entries[2 * index + 1], this.#entries[2 * index + 2]]
      const below = left !== undefined && right !== undefined && this.#isBefore(right, left) ? right : left
      if (below === undefined || !this.#isBefore(below, entry)) return
      const { index: belowIndex } = below
      this.#put(below, index)
      this.#put(entry, belowIndex)
    }
  }
}
