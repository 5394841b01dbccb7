import { CANCELED, DEADLINE, type Deadline, startDeadline } from '../lib/deadline.ts'
import { isStatusError } from '../meta/status.ts'

/** The end of a call: its time is over, or nobody waits for it any more. */
export interface CallEnding extends Pick<Deadline, 'signal' | 'dispose'> {
  /** In Go's words; undefined where it has not come. */
  why(): string | undefined
}

/** In Go's words, why a request waits no more: its own time was over, or its client has gone. */
export const whyLeft = (waiting: AbortSignal): string => (isStatusError(waiting.reason, 'Timeout') ? DEADLINE : CANCELED)

/** Ends the call at the timeout, or when nobody waits any more. */
export function callEnding(timeoutMs: number, waiting: AbortSignal): CallEnding {
  const { signal, isOver, dispose } = startDeadline(timeoutMs, waiting)
  return {
    signal,
    why: () => (isOver() ? DEADLINE : signal.aborted ? whyLeft(waiting) : undefined),
    dispose,
  }
}
