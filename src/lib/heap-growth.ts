import { setFlagsFromString } from 'node:v8'

/** The bounds on the growth of a heap that hold for one reason each; the lowest counts. */
export class HeapGrowth {
  readonly #percents = new Map<string, number>()
  readonly #set: (percent: number) => void
  #present = 0

  /** `set`: given the percentage at each change of it; 0: no bound. */
  constructor(set: (percent: number) => void) {
    this.#set = set
  }

  /** Undefined: no longer for this reason. */
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
 * V8 collects old objects once they have grown by this percentage since the last collection. Left to itself V8 lets them grow to four times as much where the machine has memory for it.
 * A bound counts from the next collection on.
 */
export const heapGrowth = new HeapGrowth(percent => setFlagsFromString(`--heap-growing-percent=${percent}`))
