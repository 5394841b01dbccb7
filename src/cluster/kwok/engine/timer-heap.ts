/** An entry of a heap. Its place in the heap is kept with it, so that it can be removed. */
export interface TimedEntry {
  /** Time in milliseconds. */
  readonly due: number
  /** Order among entries of one time. */
  readonly order: number
  /** Index in the heap. -1 if the entry is not in it. Written by the heap. */
  index: number
}

/** Entries by time, the earliest first. Adding and removing take logarithmic time. */
export class TimerHeap<E extends TimedEntry> {
  readonly #entries: E[] = []

  get size(): number {
    return this.#entries.length
  }

  /** Earliest entry. Undefined if there is none. */
  get first(): E | undefined {
    return this.#entries[0]
  }

  add(entry: E): void {
    entry.index = this.#entries.length
    this.#entries.push(entry)
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
      if (above === undefined || !isBefore(entry, above)) return
      const { index: aboveIndex } = above
      this.#put(above, index)
      this.#put(entry, aboveIndex)
    }
  }

  #lower(entry: E): void {
    for (;;) {
      const { index } = entry
      const [left, right] = [this.#entries[2 * index + 1], this.#entries[2 * index + 2]]
      const below = left !== undefined && right !== undefined && isBefore(right, left) ? right : left
      if (below === undefined || !isBefore(below, entry)) return
      const { index: belowIndex } = below
      this.#put(below, index)
      this.#put(entry, belowIndex)
    }
  }
}

const isBefore = (a: TimedEntry, b: TimedEntry): boolean => a.due < b.due || (a.due === b.due && a.order < b.order)
