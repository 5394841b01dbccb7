import { CallContext } from '../lib/call-context.ts'
import { runAtOnce, type Steps } from '../lib/steps.ts'

/** An evaluation that long work of functions may be left in, and taken up again. */
export interface LongWork {
  /** The result of the work that is known by these; throws what suspends the evaluation where it is not there yet. */
  result<T extends object>(owner: object, id: string, begin: () => Steps<T>): T
}

/** The evaluation that runs. Functions of the language are given their arguments and nothing else, and few of them take long. */
const evaluation = new CallContext<LongWork>()

/** Runs something whose functions may leave their work to a later turn. */
export const withLongWork = <T>(work: LongWork, run: () => T): T => evaluation.run(work, run)

/**
 * The result of work that may take long: at once where nothing can be left for later. `owner` and `id`: what it depends on, so that an evaluation that is begun again finds the result of the work
 * that it was suspended in.
 */
export const longWork = <T extends object>(owner: object, id: string, begin: () => Steps<T>): T =>
  evaluation.value ? evaluation.value.result(owner, id, begin) : runAtOnce(begin())
