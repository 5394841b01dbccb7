import type { Json } from '../api/meta/object.ts'
import type { WhyChanges, WhyStep } from './why.ts'

/** Records the steps of a request. Called only if the server runs with `--why`. */
export interface RequestNotes {
  note(step: WhyStep): void
  /** Copies a value for a later comparison. Undefined if it is too large. */
  keep(value: Json | undefined): Json | undefined
  /** Returns the changes of a value since `keep` copied it. */
  changes(kept: Json | undefined, now: Json | undefined): WhyChanges
}
