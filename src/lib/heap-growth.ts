import { setFlagsFromString } from 'node:v8'

/** Bounds on the growth of a heap, each for one reason. The lowest one is in effect. */
export class HeapGrowth {
  readonly #percents = new Map<string, number>()
  readonly #set: (percent: number) => void
  #present = 0

  /** `set`: called with the percentage whenever it changes; 0 for no bound. */
  constructor(set: (percent: number) => void) {
    this.#set = set
  }

  /** Sets the bound for a reason, or removes it if `percent` is undefined. */
  bound(reason: string, percent: number | undefined): void {
    if (percent === undefined) this.#percents.delete(reason)
    else this.#percents.set(reason, percent)
    const lowest = this.#percents.size === 0 ? 0 : Math.min(...this.#percents.values())
    if (lowest === this.#present) return
    this.#present = lowest
    this.#set(lowest)
  }
}

/**
 * Bound on the growth of this process's heap. V8 collects old objects once they have grown by this percentage since the
 * last collection. By default it lets them grow up to fourfold if the machine has the memory. A bound applies from the
 * next collection on.
 */
export const heapGrowth = new HeapGrowth(percent => setFlagsFromString(`--heap-growing-percent=${percent}`))
