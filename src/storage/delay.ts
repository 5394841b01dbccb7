import { abortedError } from './errors.ts'

/**
 * Resolves after `ms`. Rejects with StorageError `timeout` if the signal aborts. `unref`: the timer does not keep the
 * process alive.
 */
export function delay(ms: number, signal: AbortSignal, { unref = false } = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(abortedError(signal))
      return
    }
    const onAbort = () => {
      clearTimeout(timer)
      reject(abortedError(signal))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (unref) timer.unref()
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
