import { invariant } from '../lib/invariant.ts'
/** What something derived costs while it is kept; `drop` forgets it. */
export interface Charge {
  readonly bytes: number
  /** Set by whoever uses the thing: it survives one more round. */
  used: boolean
  drop(): void
}

/** For parsed objects and other encodings that are kept for the next reader: of all resources of a server together. */
export const DERIVED_BYTES = 48 << 20

/** Charges that may be spared for one that is added: where all are in use, looking at each of them would take long. */
const mostSpared = 32

/** Bounds what is kept only to save work. Over the bound, the oldest charges not used since their last turn are dropped. */
export class ByteBudget {
  readonly limit: number
  /** Oldest first, from `#first` on. A Set would be slow here: it keeps the places of what was removed, and each look at its first member goes over them. */
  #charges: (Charge | undefined)[] = []
  #first = 0
  #bytes = 0

  constructor(limit: number) {
    this.limit = limit
  }

  get bytes(): number {
    return this.#bytes
  }

  add(charge: Charge): void {
    if (charge.bytes > this.limit) {
      charge.drop()
      return
    }
    this.#charges.push(charge)
    this.#bytes += charge.bytes
    let spared = 0
    while (this.#bytes > this.limit) {
      const oldest = this.#charges[this.#first]
      invariant(oldest, 'bytes are charged to nothing')
      this.#charges[this.#first++] = undefined
      if (oldest.used && oldest !== charge && spared++ < mostSpared) {
        oldest.used = false
        this.#charges.push(oldest)
      } else {
        this.#bytes -= oldest.bytes
        oldest.drop()
      }
    }
    this.#shrink()
  }

  /**
   * Looks at a part of the charges, oldest first: drops those that were not used since their last turn, in which they were added or looked at, and spares the others once. To be called in each of
   * `looks` intervals, after which all have been looked at: what nobody uses is gone after as many to twice as many.
   */
  age(looks: number): void {
    const { length } = this.#charges
    let left = Math.ceil((length - this.#first) / looks)
    while (left-- > 0) {
      const oldest = this.#charges[this.#first]
      invariant(oldest, 'bytes are charged to nothing')
      this.#charges[this.#first++] = undefined
      if (oldest.used) {
        oldest.used = false
        this.#charges.push(oldest)
      } else {
        this.#bytes -= oldest.bytes
        oldest.drop()
      }
    }
    this.#shrink()
  }

  #shrink(): void {
    if (this.#first <= 1024 || this.#first <= this.#charges.length / 2) return
    this.#charges = this.#charges.slice(this.#first)
    this.#first = 0
  }
}
