import { setMaxListeners } from 'node:events'

/**
 * Calls back when the signal aborts, until the returned function is called. Disables Node's warning about listener
 * leaks for the signal, which may have any number of them.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  setMaxListeners(0, signal)
  signal.addEventListener('abort', callback)
  return () => signal.removeEventListener('abort', callback)
}

/** Resolves when the signal aborts. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else onAbort(signal, () => resolve())
  })
