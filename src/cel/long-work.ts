import { CallContext } from '../lib/call-context.ts'
import { runAtOnce, type Steps } from '../lib/steps.ts'
import type { Value } from './values/value.ts'

/** An evaluation that can be suspended during long work and resumed later. */
export interface LongWork {
  /**
   * Returns the result of the work identified by `owner` and `id`. If it is not finished, throws what suspends the
   * evaluation.
   */
  result<T extends object>(owner: object, id: string, begin: () => Steps<T>): T
  /**
   * Returns the result of the work of the current call, of which each call has at most one. Suspends the evaluation as
   * `result` does.
   */
  callResult<T extends Value>(begin: () => Steps<T>): T
}

/** The current evaluation. Kept here because functions of the language receive only their arguments. */
const evaluation = new CallContext<LongWork>()

/** Runs an evaluation whose functions may defer long work. */
export const withLongWork = <T>(work: LongWork, run: () => T): T => evaluation.run(work, run)

/**
 * Runs work that may take long, and returns its result. Outside of `withLongWork` it runs to completion at once.
 * @param owner object that the result depends on.
 * @param id identifies the work within `owner`: an evaluation that is resumed from its beginning finds the finished
 * result by both.
 */
export const longWork = <T extends object>(owner: object, id: string, begin: () => Steps<T>): T =>
  evaluation.value ? evaluation.value.result(owner, id, begin) : runAtOnce(begin())

/** Like `longWork`, for work that belongs to the current call: its arguments need not be identified. */
export const longCall = <T extends Value>(begin: () => Steps<T>): T =>
  evaluation.value ? evaluation.value.callResult(begin) : runAtOnce(begin())
