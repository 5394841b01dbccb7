import type { Fault, FaultSpec } from '../faults/fault-spec.ts'
import type { FaultRules } from '../faults/rules.ts'
import type { Faults } from './types.ts'

/** Faults that a test has added, beside those from Fault objects. */
export class OwnFaults implements Faults {
  readonly #rules: FaultRules
  #added: Fault[] = []

  constructor(rules: FaultRules) {
    this.#rules = rules
  }

  add(spec: FaultSpec): Fault {
    const fault = this.#rules.add(spec)
    this.#added.push(fault)
    return fault
  }

  clear(): void {
    for (const fault of this.#added.splice(0)) fault.remove()
  }
}
