import { CANCELED, DEADLINE, type Deadline, startDeadline } from '../lib/deadline.ts'
import { isStatusError } from '../meta/status.ts'

/** Deadline of a call, or cancellation by its request. */
export interface CallEnding extends Pick<Deadline, 'signal' | 'dispose'> {
  /** Returns the reason in Go's words. Undefined while the call may continue. */
  why(): string | undefined
}

/** Returns in Go's words why the request ended: its deadline, or the client closed the connection. */
export const whyLeft = (waiting: AbortSignal): string => (isStatusError(waiting.reason, 'Timeout') ? DEADLINE : CANCELED)

/** Starts the deadline of a call. @param waiting signal of the request that waits for it. */
export function callEnding(timeoutMs: number, waiting: AbortSignal): CallEnding {
  const { signal, isOver, dispose } = startDeadline(timeoutMs, waiting)
  return {
    signal,
    why: () => (isOver() ? DEADLINE : signal.aborted ? whyLeft(waiting) : undefined),
    dispose,
  }
}
