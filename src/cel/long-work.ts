import { runAtOnce, type Steps } from '../lib/steps.ts'

/** An evaluation that long work of functions may be left in, and taken up again. */
export interface LongWork {
  /** The result of the work that is known by these; throws what suspends the evaluation where it is not there yet. */
  result<T extends object>(owner: object, id: string, begin: () => Steps<T>): T
}

let current: LongWork | undefined

/** Runs something whose functions may leave their work to a later turn. */
export function withLongWork<T>(work: LongWork, run: () => T): T {
  const outer = current
  current = work
  try {
    return run()
  } finally {
    current = outer
  }
}

/** The result of work that may take long: at once where nothing can be left for later. `owner` and `id`: what it depends on. */
export const longWork = <T extends object>(owner: object, id: string, begin: () => Steps<T>): T =>
  current ? current.result(owner, id, begin) : runAtOnce(begin())
