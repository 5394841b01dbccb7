import type { Json } from '../../meta/object.ts'

/** What kind of mistake a value makes; `other` prints the value and the message. */
export type FaultKind = 'type' | 'required' | 'enum' | 'tooLong' | 'tooMany' | 'other' | 'plain'

/** One thing wrong with a value. `plain` names no value. */
export interface ValueFault {
  readonly kind: FaultKind
  /** Path within the value: empty for itself, `a.b[0]` below. */
  readonly name: string
  readonly message: string
  /** What the message prints. */
  readonly value?: Json
  /** The value is a float to Go, though it is whole. */
  readonly isFloat?: boolean
  readonly max?: number
  /** The values of an enum. */
  readonly allowed?: readonly Json[]
}

/** Nobody reads more; the rest is not collected. */
export const MOST_FAULTS = 2000

/** The outcome of a check. Of several alternatives that all fail, the one that met the most demands is reported. */
export class ValueResult {
  readonly faults: ValueFault[] = []
  private readonly reported = new Set<string>()
  /** Names of the faults of each enum, whose messages may be long. */
  private readonly enums = new Map<readonly Json[], Set<string>>()
  /** Demands that the value has met. */
  met = 0

  static of(fault: ValueFault): ValueResult {
    const result = new ValueResult()
    return result.add(fault)
  }

  get valid(): boolean {
    return this.faults.length === 0
  }

  get isFull(): boolean {
    return this.faults.length >= MOST_FAULTS
  }

  /** A fault of the same text is reported once. */
  add(fault: ValueFault): this {
    if (this.isFull) return this
    const reported = fault.allowed === undefined ? this.reported : this.namesOf(fault.allowed)
    const key = fault.allowed === undefined ? fault.message : fault.name
    if (reported.has(key)) return this
    reported.add(key)
    this.faults.push(fault)
    return this
  }

  private namesOf(allowed: readonly Json[]): Set<string> {
    let names = this.enums.get(allowed)
    if (!names) {
      names = new Set()
      this.enums.set(allowed, names)
    }
    return names
  }

  /** Takes over the faults of a part, and the demands that it has met. */
  merge(other: ValueResult | undefined): this {
    if (other) {
      for (const fault of other.faults) this.add(fault)
      this.met += other.met
    }
    return this
  }

  /** Counts a demand that is met. */
  count(): this {
    this.met++
    return this
  }
}
