import type { Json } from '../../api/meta/object.ts'
import type { RequestNotes } from '../../meta/request-notes.ts'
import type { WhyChanges, WhyStep } from '../../meta/why.ts'
import { cloneSmall, valueChanges } from '../../why/changes.ts'

/** Collects the steps of one request as they are, with the values of secrets. */
export class StepList implements RequestNotes {
  readonly steps: WhyStep[] = []

  note(step: WhyStep): void {
    this.steps.push(step)
  }

  keep(value: Json | undefined): Json | undefined {
    return cloneSmall(value)
  }

  changes(kept: Json | undefined, now: Json | undefined): WhyChanges {
    return valueChanges(kept, now)
  }
}
