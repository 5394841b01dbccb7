import type { Since } from './queue-meter.ts'

/** Entries of the order that may be out of date before the order is rebuilt. */
const STALE_ENTRIES = 1024

/**
 * Keys that wait for a worker, and keys that are being processed. A key waits once, however often it is added. A key
 * that is added while it is processed waits until that has ended, and then comes last, as in client-go's work queue.
 * Every operation takes constant time on average. (The first key of a `Map` does not: an iterator passes over the
 * entries that were deleted before it.)
 */
export class WaitingKeys {
  readonly #waiting = new Map<string, number>()
  readonly #running = new Map<string, number>()
  /** Keys in the order in which they are processed. Keys that do not wait any more are passed over. */
  #order: string[] = []
  /** Index of the first entry of the order. */
  #start = 0

  /** Waiting keys. */
  get waiting(): Since {
    return this.#waiting
  }

  /** Keys that are being processed. */
  get running(): Since {
    return this.#running
  }

  /** Adds a key. Returns false if it is waiting already. */
  add(key: string): boolean {
    if (this.#waiting.has(key)) return false
    this.#waiting.set(key, performance.now())
    if (!this.#running.has(key)) this.#order.push(key)
    return true
  }

  /**
   * Returns the first waiting key that is not being processed. A key that has begun before its turn and is added again
   * may keep its former place.
   */
  first(): string | undefined {
    for (; this.#start < this.#order.length; this.#start++) {
      const key = this.#order[this.#start]
      if (key !== undefined && this.#isReady(key)) return key
    }
    return undefined
  }

  /** Moves a waiting key to those that are being processed. Returns the time that it has waited, in milliseconds. */
  begin(key: string): number {
    const now = performance.now()
    const since = this.#waiting.get(key) ?? now
    this.#waiting.delete(key)
    this.#running.set(key, now)
    this.#dropStale()
    return now - since
  }

  /** Ends the processing of a key. Returns the time that it took, in milliseconds. */
  end(key: string): number {
    const now = performance.now()
    const since = this.#running.get(key) ?? now
    this.#running.delete(key)
    if (this.#waiting.has(key)) this.#order.push(key)
    return now - since
  }

  /** Removes all waiting keys. */
  clear(): void {
    this.#waiting.clear()
    this.#order = []
    this.#start = 0
  }

  #isReady(key: string): boolean {
    return this.#waiting.has(key) && !this.#running.has(key)
  }

  /** Rebuilds the order once most of its entries are out of date. */
  #dropStale(): void {
    if (this.#order.length <= 2 * this.#waiting.size + STALE_ENTRIES) return
    this.#order = [...new Set(this.#order.slice(this.#start))].filter(key => this.#isReady(key))
    this.#start = 0
  }
}
