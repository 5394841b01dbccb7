/**
 * Nodes of a zone that wait for a taint with the effect NoExecute, and the rate at which they get it. The first node
 * gets it at once. A node is returned once, until it is removed. Source: pkg/controller/nodelifecycle/scheduler.
 */
export class EvictionQueue {
  readonly #waiting = new Set<string>()
  /** Nodes that were returned or wait. */
  readonly #known = new Set<string>()
  /** Nodes a second. */
  #rate: number
  /** Time in milliseconds from which on another node may be returned. */
  #freeAt = 0

  constructor(rate: number) {
    this.#rate = rate
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Adds a node, unless it waits or was returned before. */
  add(node: string): void {
    if (this.#known.has(node)) return
    this.#known.add(node)
    this.#waiting.add(node)
  }

  remove(node: string): void {
    this.#known.delete(node)
    this.#waiting.delete(node)
  }

  /**
   * Changes the rate. A node may follow at once, unless the zone would have had to wait for another one at the old
   * rate.
   */
  setRate(rate: number, now: number): void {
    if (rate === this.#rate) return
    const mustWait = this.#rate === 0 || this.#freeAt > now
    this.#rate = rate
    this.#freeAt = mustWait && rate > 0 ? now + 1000 / rate : now
  }

  /** Returns the next node, or undefined if none waits or the rate does not allow one now. */
  take(now: number): string | undefined {
    const [first] = this.#waiting
    if (first === undefined || this.#rate === 0 || now < this.#freeAt) return undefined
    this.#waiting.delete(first)
    this.#freeAt = now + 1000 / this.#rate
    return first
  }

  /** Milliseconds until the next node may be returned. Undefined if none waits, or none is returned at all. */
  untilNext(now: number): number | undefined {
    return this.#waiting.size === 0 || this.#rate === 0 ? undefined : Math.max(0, Math.ceil(this.#freeAt - now))
  }
}
