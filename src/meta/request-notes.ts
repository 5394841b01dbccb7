import type { Json } from './object.ts'
import type { WhyChanges, WhyStep } from './why.ts'

/** Takes down what a request goes through; the code below calls it where the server was started with `--why`, and pays for a look where it was not. */
export interface RequestNotes {
  note(step: WhyStep): void
  /** A copy of a value to compare it with later; undefined where it is too large. */
  keep(value: Json | undefined): Json | undefined
  /** What has become of a value that `keep` has copied. */
  changes(kept: Json | undefined, now: Json | undefined): WhyChanges
}
