import { onAbort } from './on-abort.ts'

/**
 * Gives the work a signal that aborts with the caller's, or with a TimeoutError after so many milliseconds. `AbortSignal.any` with `AbortSignal.timeout` does not: Node holds
 * what it combines weakly, and a timeout that has been collected never comes (nodejs/node#57736).
 */
export async function withDeadline<T>(signal: AbortSignal, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const either = new AbortController()
  const release = onAbort(signal, () => either.abort(signal.reason))
  if (signal.aborted) either.abort(signal.reason)
  const timer = setTimeout(() => either.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms)
  timer.unref()
  try {
    return await work(either.signal)
  } finally {
    clearTimeout(timer)
    release()
  }
}
