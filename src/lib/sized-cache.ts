/** A cache for keys that clients choose, bounded in entries and in total size. The oldest entry is evicted first. */
export class SizedCache<T> {
  readonly #most: number
  readonly #mostSize: number
  readonly #entries = new Map<string, { readonly value: T; readonly size: number }>()
  #size = 0

  constructor(most: number, mostSize: number) {
    this.#most = most
    this.#mostSize = mostSize
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.value
  }

  /**
   * Stores a value. `size`: size of value and key, in the unit of `mostSize`. A value of more than a sixteenth of that
   * is not cached.
   */
  set(key: string, value: T, size: number): void {
    this.delete(key)
    if (size > this.#mostSize / 16) return
    this.#entries.set(key, { value, size })
    this.#size += size
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most && this.#size <= this.#mostSize) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#size -= entry.size
  }
}
