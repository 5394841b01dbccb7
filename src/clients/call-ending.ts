import { onAbort } from '../lib/on-abort.ts'
import { isStatusError } from '../meta/status.ts'

export const DEADLINE = 'context deadline exceeded'
export const CANCELED = 'context canceled'

/** The end of a call: its time is over, or nobody waits for it any more. */
export interface CallEnding {
  readonly signal: AbortSignal
  /** In Go's words; undefined where it has not come. */
  why(): string | undefined
  dispose(): void
}

/** Ends the call at the timeout, or when nobody waits any more. */
export function callEnding(timeoutMs: number, waiting: AbortSignal): CallEnding {
  const controller = new AbortController()
  let why: string | undefined
  const end = (text: string) => (): void => {
    why ??= text
    controller.abort()
  }
  const timer = setTimeout(end(DEADLINE), timeoutMs)
  const gone = (): void => end(isStatusError(waiting.reason, 'Timeout') ? DEADLINE : CANCELED)()
  if (waiting.aborted) gone()
  const release = onAbort(waiting, gone)
  return {
    signal: controller.signal,
    why: () => why,
    dispose() {
      clearTimeout(timer)
      release()
    },
  }
}
