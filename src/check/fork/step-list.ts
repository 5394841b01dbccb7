import { isJsonObject, type Json } from '../../api/meta/object.ts'
import type { RequestNotes } from '../../meta/request-notes.ts'
import type { WhyChanges, WhyStep } from '../../meta/why.ts'
import { cloneSmall, valueChanges } from '../../why/changes.ts'

/** Collects the steps of one request as they are, with the values of secrets. */
export class StepList implements RequestNotes {
  readonly steps: WhyStep[] = []
  readonly #comparesAll: boolean

  /**
   * @param comparesAll whether changes of plugins, defaults and the kind's rules are recorded, too. Comparing them takes
   * as long as the write.
   */
  constructor(comparesAll: boolean) {
    this.#comparesAll = comparesAll
  }

  note(step: WhyStep): void {
    this.steps.push(step)
  }

  /** The rules of a kind drop nothing but the status. */
  keep(value: Json | undefined, change?: 'plugin' | 'defaults' | 'rules'): Json | undefined {
    const mayDrop = change === undefined || (change === 'rules' && isJsonObject(value) && value.status !== undefined)
    return mayDrop || this.#comparesAll ? cloneSmall(value) : undefined
  }

  changes(kept: Json | undefined, now: Json | undefined): WhyChanges {
    return kept === undefined ? 'too large' : valueChanges(kept, now)
  }
}
