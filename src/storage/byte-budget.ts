/** What something derived costs while it is kept; `drop` forgets it. */
export interface Charge {
  readonly bytes: number
  /** Set by whoever uses the thing: it survives one more round. */
  used: boolean
  drop(): void
}

/** Charges that may be spared for one that is added: where all are in use, looking at each of them would take long. */
const mostSpared = 32

/** Bounds what is kept only to save work. Over the bound, the oldest charges not used since their last turn are dropped. */
export class ByteBudget {
  readonly limit: number
  readonly #charges = new Set<Charge>()
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
    this.#charges.add(charge)
    this.#bytes += charge.bytes
    let spared = 0
    for (const oldest of this.#charges) {
      if (this.#bytes <= this.limit) return
      this.#charges.delete(oldest)
      if (oldest.used && oldest !== charge && spared++ < mostSpared) {
        oldest.used = false
        this.#charges.add(oldest)
      } else {
        this.#bytes -= oldest.bytes
        oldest.drop()
      }
    }
  }
}
