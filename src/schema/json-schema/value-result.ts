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
  readonly allowed?: readonly Json[]
  /** Stands for the message where that is long: faults of one key are one. */
  readonly key?: string
}

/** Nobody is told more. */
export const MOST_FAULTS = 2000

/** The outcome of a check. Of several alternatives that all fail, the one that met the most demands is told. */
export class ValueResult {
  readonly faults: ValueFault[] = []
  private readonly told = new Set<string>()
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

  /** A fault of the same text is told once. */
  add(fault: ValueFault): this {
    const key = fault.key ?? fault.message
    if (this.isFull || this.told.has(key)) return this
    this.told.add(key)
    this.faults.push(fault)
    return this
  }

  merge(other: ValueResult | undefined): this {
    if (other) {
      for (const fault of other.faults) this.add(fault)
      this.met += other.met
    }
    return this
  }

  count(): this {
    this.met++
    return this
  }
}
