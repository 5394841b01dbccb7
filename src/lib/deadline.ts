import { onAbort } from './on-abort.ts'

/** What Go says of a call whose time is over, and of one for which nobody waits any more. */
export const DEADLINE = 'context deadline exceeded'
export const CANCELED = 'context canceled'

/** The time that work has. */
export interface Deadline {
  /** Aborts with the reason of the caller's signal, or with a TimeoutError (its message: DEADLINE) when the time is over. */
  readonly signal: AbortSignal
  /** The time was over before the caller's signal aborted. */
  isOver(): boolean
  dispose(): void
}

/**
 * Begins now. `AbortSignal.any` with `AbortSignal.timeout` does not do: Node holds what it combines weakly, and a timeout that has been collected never comes (nodejs/node#57736).
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

/** Gives the work a signal that aborts with the caller's, or with a TimeoutError after so many milliseconds. */
export async function withDeadline<T>(caller: AbortSignal, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = startDeadline(ms, caller)
  try {
    return await work(deadline.signal)
  } finally {
    deadline.dispose()
  }
}
