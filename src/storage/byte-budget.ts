import { invariant } from '../lib/invariant.ts'
/** Memory that a cached derivation takes, in bytes. `drop` discards the derivation. */
export interface Charge {
  /** Must not change after `add`, because the same number is subtracted later. */
  readonly bytes: number
  /** Set by each use: the charge survives one more round of eviction. */
  used: boolean
  /** Discards the derivation. The charge is no longer accounted for then. */
  drop(): void
}

/**
 * Budget for parsed objects and encodings that are cached for later readers, in bytes, over all resources of a server.
 */
export const DERIVED_BYTES = 48 << 20

/** Charges in use that one `add` may skip. If all are in use, inspecting every one of them would take long. */
const MOST_SPARED = 32

/**
 * Bounds the memory of caches that only save work. Over the limit, the oldest charges are dropped that were not used
 * since they were last inspected (second chance, or CLOCK).
 */
export class ByteBudget {
  /** Maximum bytes of all charges. */
  readonly limit: number
  /**
   * Oldest first, starting at `#first`. An array and not a Set: a Set keeps the slots of deleted members, and reading
   * its first member skips over them each time.
   */
  #charges: (Charge | undefined)[] = []
  #first = 0
  #bytes = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** Bytes of all charges. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Accounts for a charge, and drops others until the limit is kept. A charge above the limit is dropped itself. `drop`
   * of a charge may be called before `add` returns.
   */
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
      if (oldest.used && oldest !== charge && spared++ < MOST_SPARED) {
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
   * Inspects a share of the charges, oldest first: drops those that were not used since they were added or last
   * inspected, and spares the others once. The caller invokes it `looks` times per period, which covers every charge
   * once. An unused charge is dropped after one to two periods.
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

  /**
   * Frees the slots of dropped charges once they are the greater half of the array, which takes constant time per
   * charge.
   */
  #shrink(): void {
    if (this.#first <= 1024 || this.#first <= this.#charges.length / 2) return
    this.#charges = this.#charges.slice(this.#first)
    this.#first = 0
  }
}
