import type { Json } from '../../api/meta/object.ts'

/** Kind of a fault, which determines its field error. `other` prints the value and the message. */
export type FaultKind = 'type' | 'required' | 'enum' | 'tooLong' | 'tooShort' | 'tooMany' | 'tooFew' | 'other' | 'plain'

/** A fault of a value. `plain` faults do not name a value. */
export interface ValueFault {
  readonly kind: FaultKind
  /** Path within the checked value: empty for itself, `a.b[0]` below it. */
  readonly name: string
  /** Message of go-openapi/validate, which `other` and `plain` faults print. */
  readonly message: string
  /** Value that the message prints. */
  readonly value?: Json
  /** Whether a whole number is a float in Go. */
  readonly isFloat?: boolean
  /** Upper bound that the value exceeds. Set for `tooLong` and `tooMany`. */
  readonly max?: number
  /** Lower bound. Set for `tooShort` and `tooFew`. */
  readonly min?: number
  /** Values of an enum. */
  readonly allowed?: readonly Json[]
}

/** Limit on collected faults. Further ones are dropped. */
export const MOST_FAULTS = 2000

/** Outcome of a check. If all alternatives fail, the one that satisfied the most constraints is reported. */
export class ValueResult {
  /** Faults in the order in which they were found. */
  readonly faults: ValueFault[] = []
  readonly #reported = new Set<string>()
  /** Names of the faults of each enum, whose messages may be long. */
  readonly #enums = new Map<readonly Json[], Set<string>>()
  /** Number of satisfied constraints. */
  met = 0

  static of(fault: ValueFault): ValueResult {
    const result = new ValueResult()
    return result.add(fault)
  }

  get valid(): boolean {
    return this.faults.length === 0
  }

  /** Whether further faults would be dropped. Checks stop then. */
  get isFull(): boolean {
    return this.faults.length >= MOST_FAULTS
  }

  /** Adds a fault. A fault with the same text is reported once. */
  add(fault: ValueFault): this {
    if (this.isFull) return this
    const reported = fault.allowed === undefined ? this.#reported : this.#namesOf(fault.allowed)
    const key = fault.allowed === undefined ? fault.message : fault.name
    if (reported.has(key)) return this
    reported.add(key)
    this.faults.push(fault)
    return this
  }

  /** Returns the names under which a fault of this enum was reported. */
  #namesOf(allowed: readonly Json[]): Set<string> {
    let names = this.#enums.get(allowed)
    if (!names) {
      names = new Set()
      this.#enums.set(allowed, names)
    }
    return names
  }

  /** Adds the faults and satisfied constraints of a part. */
  merge(other: ValueResult | undefined): this {
    if (other) {
      for (const fault of other.faults) this.add(fault)
      this.met += other.met
    }
    return this
  }

  /** Counts a satisfied constraint. */
  count(): this {
    this.met++
    return this
  }
}
