import type { Json } from '../api/meta/object.ts'
import type { WhyChanges, WhyStep } from './why.ts'

/** Records the steps of a request. Called only if the server runs with `--why`. */
export interface RequestNotes {
  note(step: WhyStep): void
  /**
   * Copies a value for a later comparison. Undefined if it is too large. @param change the change that follows, if the
   * comparison can be left out
   */
  keep(value: Json | undefined, change?: 'plugin' | 'defaults' | 'rules'): Json | undefined
  /** Returns the changes of a value since `keep` copied it. */
  changes(kept: Json | undefined, now: Json | undefined): WhyChanges
}
