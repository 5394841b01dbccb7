import { onAbort } from './on-abort.ts'

/** Go's errors of a context that timed out, and of one that was cancelled. */
export const DEADLINE = 'context deadline exceeded'
export const CANCELED = 'context canceled'

/** A time limit on some work. */
export interface Deadline {
  /** Aborts with the reason of the caller's signal, or on timeout with a TimeoutError whose message is DEADLINE. */
  readonly signal: AbortSignal
  /** Whether the time ran out before the caller's signal aborted. */
  isOver(): boolean
  dispose(): void
}

/**
 * Starts a deadline. `AbortSignal.any` with `AbortSignal.timeout` is not reliable: Node holds the combined signals
 * weakly, and a timeout that was garbage-collected never fires (nodejs/node#57736).
 */
export function startDeadline(ms: number, caller: AbortSignal): Deadline {
  const either = new AbortController()
  let isOver = false
  const release = onAbort(caller, () => either.abort(caller.reason))
  if (caller.aborted) either.abort(caller.reason)
  const timer = setTimeout(() => {
    isOver = !either.signal.aborted
    either.abort(new DOMException(DEADLINE, 'TimeoutError'))
  }, ms)
  timer.unref()
  return {
    signal: either.signal,
    isOver: () => isOver,
    dispose() {
      clearTimeout(timer)
      release()
    },
  }
}

/**
 * Runs work with a signal that aborts with the caller's signal, or with a TimeoutError after this many milliseconds.
 */
export async function withDeadline<T>(caller: AbortSignal, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = startDeadline(ms, caller)
  try {
    return await work(deadline.signal)
  } finally {
    deadline.dispose()
  }
}
